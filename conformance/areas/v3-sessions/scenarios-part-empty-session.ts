import { textOf } from '../../core/json.ts';
import type { Scenario } from '../../core/scenario.ts';
import { type SessionObservation, createSession, endStates, poll } from '../common/scenarios-part-observed-session.ts';

/** A session without a task: the contract does not show how to create one, so a refusal is no breach. */
export const emptySession: Scenario<SessionObservation> = {
  name: 'empty-session',
  creates: 'one V3 session without a task',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  drive: (drive) =>
    drive.live(async () => {
      const session = await createSession(drive, { keepAlive: true });
      await poll(drive, session, {
        id: session.id,
        until: ({ end }) => ['idle', ...endStates].includes(textOf(end.record['status'])),
        deadlineMs: drive.target.polling.startDeadlineMs,
      });
      return session;
    }),
};
