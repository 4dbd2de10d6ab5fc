import type { Pause } from './calls.ts';
import { WaitTimeout } from './errors.ts';

/** How somebody waits. */
export interface WaitOptions {
  /** Longest wait, in milliseconds; what is waited for goes on without it. @defaultValue 300000 in V2, 14400000 in V3 and V4 */
  readonly timeoutMs?: number;
  /** Time between two questions, in milliseconds. @defaultValue 2000 */
  readonly intervalMs?: number;
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What is waited for. */
export interface Waited<Shown extends { readonly status: string }> {
  /** What it is in words, with its id. */
  readonly what: string;
  readonly read: (signal: AbortSignal | undefined) => Promise<Shown>;
  /** The states that end the wait. */
  readonly terminal: readonly Shown['status'][];
}

/** The pause of a client, and for how long it waits when nobody says. */
export interface Waiting {
  readonly pause: Pause;
  readonly timeoutMs: number;
}

const usualIntervalMs = 2_000;

/** Asks until a terminal state is seen. Rejects with WaitTimeout after the time, which is counted in pauses. */
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

/** Passes time with a timer. */
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

/** The signal as a member of a request, where there is one. */
export function signalled(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
