export { type ListedRequirement, explain, listRequirements } from './explain.ts';
