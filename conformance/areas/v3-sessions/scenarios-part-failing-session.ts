import type { Scenario } from '../../core/scenario.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Target } from '../../core/target/target.ts';
import { type SessionObservation, runTask } from '../common/scenarios-part-observed-session.ts';

/** One task that no agent can achieve. */
export const failingSession: Scenario<SessionObservation> = {
  name: 'failing-session',
  creates: 'one V3 session with a task that cannot succeed',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) =>
    tasks.fail === null ? 'the target file names no goal that fails (tasks.fail)' : undefined,
  drive: (drive) => drive.live(() => runTask(drive, { ...withoutMailbox(drive.target), keepAlive: false })),
};

// The mailbox is asked for nowhere else but in the equipped session, so this one shows what "off" looks like.
function withoutMailbox({ tasks, v3 }: Target): JsonObject {
  const member = v3?.members.inbox ?? null;
  return { task: String(tasks.fail), ...(member === null ? {} : { [member]: false }) };
}
