import { setTimeout as delay } from 'node:timers/promises';
import type { Around } from '#http/around.ts';

/** How answers are held back. */
export interface LateOptions {
  /** Between the two, both included, in milliseconds. */
  readonly latencyMs: readonly [min: number, max: number];
  readonly random: () => number;
  /** Aborted when the mock is closed: what is held back is answered at once then, instead of keeping the process alive. */
  readonly signal: AbortSignal;
}

/** Holds every answer back. */
export function late({ latencyMs: [min, max], random, signal }: LateOptions): Around {
  return async (request, answer) => {
    const reply = await answer(request);
    const ms = Math.round(min + random() * (max - min));
    if (ms <= 0 || signal.aborted) return reply;
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return reply;
  };
}
