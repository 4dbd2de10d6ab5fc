import type { ScenarioContext } from '../../core/scenario.ts';
import type { Moment } from './moment.ts';

/** Options for watching a resource. */
export interface WatchOptions {
  deadlineMs: number;
  look(): Promise<Moment[]>;
  isDone(moment: Moment): boolean;
}

/** Minimum number of polls before a deadline counts, because the machine of the suite may be busy. */
const looksMin = 5;

/**
 * Polls until a condition holds for the last response or a deadline has passed, but at least `looksMin` times unless
 * the condition holds earlier. The deadline is compared with the times of the responses. `isLate` is true if the
 * deadline has passed. A poll that returns nothing ends the polling.
 */
export async function watchResource(
  context: ScenarioContext,
  options: WatchOptions,
): Promise<{ moments: Moment[]; isLate: boolean }> {
  const moments: Moment[] = [];
  let looks = 0;
  for (;;) {
    const seen = await options.look();
    moments.push(...seen);
    const last = seen.at(-1);
    if (last === undefined || options.isDone(last)) return { moments, isLate: false };
    looks += 1;
    if (looks >= looksMin && elapsed(moments) > options.deadlineMs) return { moments, isLate: true };
    await context.pause(context.target.polling.intervalMs);
  }
}

function elapsed(moments: readonly Moment[]): number {
  const [first, last] = [moments[0]?.exchange, moments.at(-1)?.exchange];
  return first === undefined || last === undefined ? 0 : last.atMs + last.durationMs - first.atMs;
}
