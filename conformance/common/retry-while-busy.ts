import { TooManyRequests } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/**
 * Number of retries, after the HTTP client has given up its own retries, and the maximum pause between two attempts in
 * milliseconds.
 */
const retryLimits = { times: 3, waitMaxMs: 10_000 } as const;

/**
 * Repeats a request that must be accepted while the target answers 429. An ended resource may occupy capacity for some
 * time, so a 429 is no verdict on the cell. Throws TooManyRequests after the last retry.
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
