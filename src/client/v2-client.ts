import { clientFacts } from '#generated/client-facts.ts';
import type { components, paths } from '#generated/v2.ts';
import { type Calls, type Connection, createCalls, type Pause } from './calls.ts';
import { signalled, type WaitOptions, waitUntil } from './wait-until.ts';

/** A task in a V2 response. */
export type Task = components['schemas']['Task'];

/** The client of V2. */
export interface V2Client extends Calls<paths> {
  /**
   * Polls the status of a task until it has ended, then returns the task. Rejects with WaitTimeout when the task has
   * not ended within the timeout.
   */
  waitForTask(id: string, options?: WaitOptions): Promise<Task>;
}

const timeoutMs = 300_000;

/** Creates the client of V2. */
export function createV2Client(connection: Connection, pause: Pause): V2Client {
  const calls = createCalls<paths>(connection, 'v2');
  return {
    ...calls,
    async waitForTask(id, options) {
      const params = { path: { task_id: id } };
      const read = (signal: AbortSignal | undefined): Promise<components['schemas']['TaskState']> =>
        calls.GET('/tasks/{task_id}/status', { params, ...signalled(signal) });
      await waitUntil({ what: `task ${id}`, read, terminal: clientFacts.terminal.task }, { pause, timeoutMs }, options);
      return calls.GET('/tasks/{task_id}', { params, ...signalled(options?.signal) });
    },
  };
}
