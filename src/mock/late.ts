import { setTimeout as delay } from 'node:timers/promises';
import { whenThere } from '#lib/maybe-promise.ts';
import type { Around } from '#api/http/around.ts';
import type { WireReply } from '#contract/http-messages.ts';

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
  const after = async (ms: number, reply: WireReply): Promise<WireReply> => {
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return reply;
  };
  return (request, answer) =>
    whenThere(answer(request), (reply) => {
      const ms = Math.round(min + random() * (max - min));
      return ms <= 0 || signal.aborted ? reply : after(ms, reply);
    });
}
