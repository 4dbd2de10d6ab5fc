import type { Pause } from './calls.ts';
import { WaitTimeout } from './errors.ts';

/** Options of a wait for a task, session or run. */
export interface WaitOptions {
  /**
   * Timeout in milliseconds; the task, session or run continues after the timeout. @defaultValue 300000 in V2, 14400000
   * in V3 and V4
   */
  readonly timeoutMs?: number;
  /** Time between two polls, in milliseconds. @defaultValue 2000 */
  readonly intervalMs?: number;
  /** Aborts the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A resource whose end is awaited. */
export interface Waited<Shown extends { readonly status: string }> {
  /** Name of the resource with its id, for messages. */
  readonly what: string;
  readonly read: (signal: AbortSignal | undefined) => Promise<Shown>;
  /** The states that end the wait. */
  readonly terminal: readonly Shown['status'][];
}

/** Pause function and default timeout of {@link waitUntil}. */
export interface Waiting {
  readonly pause: Pause;
  readonly timeoutMs: number;
}

const usualIntervalMs = 2_000;

/**
 * Polls until the resource has a terminal state. Rejects with WaitTimeout when a further pause would make the sum of
 * the pauses exceed the timeout. The duration of the requests does not count.
 */
export async function waitUntil<Shown extends { readonly status: string }>(
  { what, read, terminal }: Waited<Shown>,
  { pause, timeoutMs: usualMs }: Waiting,
  { timeoutMs = usualMs, intervalMs = usualIntervalMs, signal }: WaitOptions = {},
): Promise<Shown> {
  for (let waitedMs = 0; ; waitedMs += intervalMs) {
    signal?.throwIfAborted();
    const shown = await read(signal);
    if (terminal.includes(shown.status)) return shown;
    if (waitedMs + intervalMs > timeoutMs)
      throw new WaitTimeout(`${what} is ${shown.status} after ${timeoutMs} ms and goes on: wait again, or stop it`);
    await pause(intervalMs, signal);
  }
}

/** Waits with a timer. Rejects with the signal's reason when the signal aborts first. */
export const pause: Pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** Returns `{ signal }` as an option of a request; an empty object without a signal. */
export function signalled(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
