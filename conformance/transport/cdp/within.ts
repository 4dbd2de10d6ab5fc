import { CdpFault } from './cdp-fault.ts';
import type { CdpLimits } from '../../core/cdp.ts';

/** A call of a client library with a time limit. */
export interface Awaited<T> {
  /** Names the call in the fault: "Browser.getVersion". */
  what: string;
  call: Promise<T>;
  /** Called with a result that arrives after the deadline or after the end of the run, to release it. */
  discard?: (late: T) => Promise<unknown>;
}

/**
 * Returns the result of a call of a client library. Throws CdpFault when the call fails or times out, and the abort
 * reason when the run ends early.
 */
export async function within<T>({ what, call, discard }: Awaited<T>, { timeoutMs, signal }: CdpLimits): Promise<T> {
  // A failure after the deadline has no receiver.
  call.catch(() => undefined);
  signal.throwIfAborted();
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(
    () => timer.reject(new CdpFault(`${what} had no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const onAbort = (): void => timer.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let waiting = true;
  const told = call.then(
    async (value) => {
      if (!waiting && discard !== undefined) await discard(value);
      return value;
    },
    (error: unknown) => {
      throw asFault(what, error);
    },
  );
  told.catch(() => undefined);
  try {
    return await Promise.race([told, timer.promise]);
  } finally {
    waiting = false;
    clearTimeout(timeout);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Returns limits for disconnecting a client. The end of the run does not abort the disconnect, because the connection
 * would otherwise stay open.
 */
export function releaseLimits(): CdpLimits {
  return { timeoutMs: 5_000, signal: new AbortController().signal };
}

/**
 * Converts an error of a client library to a CdpFault. Returns a CdpFault unchanged, and also a value without a
 * `message`.
 */
export function asFault(what: string, error: unknown): unknown {
  if (error instanceof CdpFault) return error;
  // Some clients reject with an event, which is no Error and carries its message all the same.
  if (typeof error !== 'object' || error === null || !('message' in error)) return error;
  // A refused connection to several addresses is an AggregateError with an empty message.
  const text = error.message === '' && 'code' in error ? String(error.code) : String(error.message);
  return new CdpFault(`${what} failed: ${text.split('\n')[0] ?? ''}`, { cause: error });
}
