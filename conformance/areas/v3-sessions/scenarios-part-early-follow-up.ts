import { textOf } from '../../core/json.ts';
import type { Exchange } from '../../core/exchange.ts';
import type { Scenario } from '../../core/scenario.ts';
import { createSession } from '../common/scenarios-part-observed-session.ts';

/** A task sent to a session that is still starting. */
export interface EarlyFollowUp {
  /** Status that the session showed right before. */
  before: string;
  exchange: Exchange;
}

/** Sends a follow-up to a session as soon as it is created. */
export const earlyFollowUp: Scenario<EarlyFollowUp> = {
  name: 'early-follow-up',
  creates: 'one V3 session without a task, and a task that comes too early',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ v3 }) =>
    v3?.followUp === null ? 'the target file names no follow-up operation (v3.followUp)' : undefined,
  drive: (drive) =>
    drive.live(async () => {
      const session = await createSession(drive, { keepAlive: true });
      const body = { task: drive.target.tasks.succeed };
      const exchange = await drive.sessions.followUp(session.id, { body });
      return { before: textOf(session.end.record['status']), exchange };
    }),
};
