import type { Exchange } from '../../core/exchange.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type KeptSession, stop } from './scenarios-part-kept-session.ts';
import { type SessionObservation, createSession, hasEnded, poll } from '../common/scenarios-part-observed-session.ts';
import { openAddress } from '../common/session-share.ts';

/** A slow task with recording, stopped while it runs. */
export interface InterruptedSession {
  session: SessionObservation;
  /** The page of its live view while it lives, opened without a key; undefined where its record shows no address. */
  live: Exchange | undefined;
  stopped: KeptSession['stopped'];
}

/** One task that is stopped while it runs. */
export const interruptedSession: Scenario<InterruptedSession> = {
  name: 'interrupted-session',
  creates: 'one V3 session with a slow task that is stopped while it runs',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) => (tasks.slow === null ? 'the target file names no slow goal (tasks.slow)' : undefined),
  drive: (drive) => drive.live(() => interrupt(drive)),
};

async function interrupt(drive: Drive): Promise<InterruptedSession> {
  const body = { task: String(drive.target.tasks.slow), keepAlive: true, enableRecording: true };
  const session = await createSession(drive, body);
  // Two fetches while it runs: counters can be compared, and recordings have had a chance to appear too early.
  await poll(drive, session, {
    id: session.id,
    until: (task) => hasEnded(task) || task.fetches.filter(({ record }) => record['status'] === 'running').length >= 2,
    deadlineMs: drive.target.polling.startDeadlineMs,
  });
  const address = session.fetches.map(({ record }) => record['liveUrl']).find((url) => typeof url === 'string');
  const live = address === undefined || !URL.canParse(address) ? undefined : await openAddress(drive, address);
  return { session, live, stopped: drive.target.v3?.stop === null ? undefined : await stop(drive, session) };
}
