import { TooManyRequests } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** How often a cell is sent again when the client has given up on it, and the longest wait between two times in ms. */
const retryLimits = { times: 3, waitMaxMs: 10_000 } as const;

/**
 * Sends what must be accepted, again and again while there is no place for it. What was ended a moment ago can still hold a place; a
 * 429 says nothing of the cell, and clients wait and try again too. Throws TooManyRequests in the end.
 */
export async function retryWhileBusy<T>(context: ScenarioContext, send: () => Promise<T>): Promise<T> {
  for (let time = 0; ; time += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof TooManyRequests) || time === retryLimits.times) throw error;
      await context.pause(Math.min(retryLimits.waitMaxMs, context.target.polling.intervalMs * 2 ** time));
    }
  }
}
