/**
 * Stateful judgement. Scripts of operations are drawn from the seed of the run and played on one resource each: a
 * session, a task, a run or a browser. A model explains the responses by the life cycle of generated/rules.ts. It keeps
 * every state that the resource may have, because the clock of the target is unknown, and both orders of concurrent
 * requests. A response that no state explains is a violation; the script is then shrunk within the budget. The runner
 * plays the scripts as scenarios, and the checks of areas/stateful report the violations. This folder judges only rules
 * of the contract and the companion, and draws only from the seed.
 */
export type { Campaign, FoundScript, PlayedTheme } from './campaign.ts';
export { statefulBrowsers, statefulRuns, statefulSessions, statefulTasks } from './scenarios.ts';
export { formatScript, writeScript } from './script.ts';
export { listMoments } from './moment.ts';
