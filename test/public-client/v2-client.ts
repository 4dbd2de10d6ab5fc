import type { components } from '#generated/v2.ts';
import type { Connection } from './connection.ts';
import { type WaitOptions, WaitTimeout } from './wait-options.ts';

/** A task as V2 shows it. */
export type Task = components['schemas']['Task'];
type TaskState = components['schemas']['TaskState'];
type TaskStep = components['schemas']['TaskStep'];

const intervalMs = 2000;
const terminal: readonly string[] = ['finished', 'stopped'];

/**
 * Polls the status every 2 s until the task has ended, then fetches the task once (companion C11). Throws WaitTimeout
 * after `timeoutMs`, by default 5 minutes.
 */
export async function waitForTask(
  connection: Connection,
  id: string,
  { timeoutMs = 300_000 }: WaitOptions = {},
): Promise<Task> {
  const start = connection.time.elapsedMs();
  while (connection.time.elapsedMs() - start < timeoutMs) {
    const { status } = (await connection.request('GET', `/tasks/${id}/status`)) as TaskState;
    if (terminal.includes(status)) return (await connection.request('GET', `/tasks/${id}`)) as Task;
    await connection.time.sleep(intervalMs);
  }
  throw new WaitTimeout(`task ${id}`);
}

/** Yields each step of a task once, in order, until the task has ended (companion C12). */
export async function* streamSteps(connection: Connection, id: string): AsyncGenerator<TaskStep> {
  for (let seen = 0; ; ) {
    const { steps, status } = (await connection.request('GET', `/tasks/${id}`)) as Task;
    yield* steps.slice(seen);
    seen = steps.length;
    if (terminal.includes(status)) return;
    await connection.time.sleep(intervalMs);
  }
}
