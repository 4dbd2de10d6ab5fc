/**
 * The requirements as generated/ has them: looking up, selecting, explaining. Called by the runner and the command line.
 * It adds nothing to a requirement: sentence, level and source come from the registry alone.
 */
export { type ListedRequirement, explain, listRequirements } from './explain.ts';
