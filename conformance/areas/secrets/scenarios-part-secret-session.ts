import type { Exchange } from '../../core/exchange.ts';
import { notOffered } from '../../core/operations.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type SessionObservation, runTask } from '../common/scenarios-part-observed-session.ts';
import { sessionProbe } from '../common/probe-bodies.ts';

/** One V3 session whose task was given a value that nobody may see. */
export interface SecretSession {
  session: SessionObservation;
  value: string;
  messages: Exchange;
}

/** One V3 session with sensitive data. */
export const secretSession: Scenario<SecretSession> = {
  name: 'secret-session',
  creates: 'one V3 session with a task and a sensitive value',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => notOffered(target, ['v3.createSession', 'v3.listMessages']),
  drive: (drive) => drive.live(() => driveSecret(drive)),
};

async function driveSecret(drive: Drive): Promise<SecretSession> {
  const value = drive.secret('v3');
  const task = drive.target.tasks.succeed;
  const body = { ...sessionProbe(drive.target), task, sensitiveData: { password: value } };
  const session = await runTask(drive, body);
  const messages = await drive.operations.call('v3.listMessages', { path: [session.id], query: { limit: 100 } });
  return { session, value, messages };
}
