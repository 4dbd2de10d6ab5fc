import { clientFacts } from '#generated/client-facts.ts';
import type { components, paths } from '#generated/v3.ts';
import { type Calls, type Connection, createCalls, type Pause } from './calls.ts';
import { signalled, type WaitOptions, waitUntil } from './wait-until.ts';

/** A session in a V3 response. */
export type Session = components['schemas']['Session'];

/** The client of V3. */
export interface V3Client extends Calls<paths> {
  /**
   * Polls a session until it is idle or has ended, and returns the session. Rejects with WaitTimeout when neither
   * happens within the timeout.
   */
  waitForSession(id: string, options?: WaitOptions): Promise<Session>;
}

const timeoutMs = 14_400_000;

/** Creates the client of V3. */
export function createV3Client(connection: Connection, pause: Pause): V3Client {
  const calls = createCalls<paths>(connection, 'v3');
  return {
    ...calls,
    waitForSession(id, options) {
      const params = { path: { session_id: id } };
      const read = (signal: AbortSignal | undefined): Promise<Session> =>
        calls.GET('/sessions/{session_id}', { params, ...signalled(signal) });
      const terminal = clientFacts.terminal.session;
      return waitUntil({ what: `session ${id}`, read, terminal }, { pause, timeoutMs }, options);
    },
  };
}
