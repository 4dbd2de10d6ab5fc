import type { Scenario } from '../../core/scenario.ts';
import { type SessionObservation, runTask } from '../common/scenarios-part-observed-session.ts';

/** One task in code mode. */
export const codeSession: Scenario<SessionObservation> = {
  name: 'code-session',
  creates: 'one V3 session in code mode',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) =>
    tasks.code === null ? 'the target file names no goal for code mode (tasks.code)' : undefined,
  drive: (drive) =>
    drive.live(() => runTask(drive, { task: String(drive.target.tasks.code), codeMode: true, keepAlive: false })),
};
