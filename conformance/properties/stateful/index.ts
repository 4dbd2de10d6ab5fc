/**
 * Stateful judgement: scripts of operations are drawn from the seed of the run, played on one thing each (a session, a task,
 * a run, a browser), and their answers are explained by the life cycle of generated/rules.ts. A model keeps every state that
 * the thing may be in, because its time is not ours, and either order of what was sent at once. Answers that nothing explains
 * are a breach; the script is then made shorter while that is paid for. Called by the runner as scenarios and by
 * checks/stateful.ts. It never judges what neither the contract nor the companion speaks of, draws nothing but from the seed,
 * and reads no clock but that of the recording.
 */
export type { Campaign, FoundScript, PlayedTheme } from './campaign.ts';
export { statefulBrowsers, statefulRuns, statefulSessions, statefulTasks } from './scenarios.ts';
export { tellScript, writeScript } from './script.ts';
export { momentsOf } from './moment.ts';
