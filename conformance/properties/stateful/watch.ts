import type { ScenarioContext } from '../../core/scenario.ts';
import type { Moment } from './moment.ts';

/** How to watch a thing. */
export interface WatchOptions {
  deadlineMs: number;
  look(): Promise<Moment[]>;
  isDone(moment: Moment): boolean;
}

/** However busy the machine of the suite is, fewer looks say nothing of the target. */
const looksMin = 5;

/** Looks until it is done or the deadline has passed, both told by the recording alone; `isLate` when it was not done. */
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
