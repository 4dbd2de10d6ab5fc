import type { Scenario } from '../harness/scenario.ts';
import { type SessionObservation, runTask } from './observed-session.ts';

/** One task that no agent can achieve. */
export const failingSession: Scenario<SessionObservation> = {
  name: 'failing-session',
  creates: 'one V3 session with a task that cannot succeed',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) => (tasks.fail === null ? 'the target file names no goal that fails (tasks.fail)' : undefined),
  drive: (drive) => drive.live(() => runTask(drive, { task: String(drive.target.tasks.fail), keepAlive: false })),
};
