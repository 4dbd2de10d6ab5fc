/** Two ways to do the same thing: ours, and the barest one that there is. */
export interface Pair {
  readonly name: string;
  readonly subject: () => Promise<unknown>;
  readonly baseline: () => Promise<unknown>;
  /** What has to be there before a call of the subject, and what is put away after a call; not measured. @defaultValue nothing */
  readonly beforeSubject?: () => Promise<unknown>;
  readonly afterSubject?: () => Promise<unknown>;
  readonly afterBaseline?: () => Promise<unknown>;
  /** Calls of each in one round. */
  readonly calls: number;
  readonly rounds: number;
}

/** What a pair came to; times are medians of one call in milliseconds. */
export interface Measured {
  readonly name: string;
  readonly subjectMs: number;
  readonly baselineMs: number;
  readonly ratio: number;
  readonly calls: number;
}

/**
 * Takes turns, so that a machine that grows slower meanwhile slows both: a warm-up round of each, then `rounds` rounds of
 * `calls` calls, one after the other.
 */
export async function measure(pair: Pair): Promise<Measured> {
  const { name, calls, rounds } = pair;
  const subject: Timed = { before: pair.beforeSubject, work: pair.subject, after: pair.afterSubject };
  const baseline: Timed = { before: undefined, work: pair.baseline, after: pair.afterBaseline };
  const subjectTimes: number[] = [];
  const baselineTimes: number[] = [];
  await timesOf(subject, calls);
  await timesOf(baseline, calls);
  for (let round = 0; round < rounds; round += 1) {
    subjectTimes.push(...(await timesOf(subject, calls)));
    baselineTimes.push(...(await timesOf(baseline, calls)));
  }
  const subjectMs = median(subjectTimes);
  const baselineMs = median(baselineTimes);
  return { name, subjectMs, baselineMs, ratio: subjectMs / baselineMs, calls: subjectTimes.length };
}

interface Timed {
  readonly before: (() => Promise<unknown>) | undefined;
  readonly work: () => Promise<unknown>;
  readonly after: (() => Promise<unknown>) | undefined;
}

async function timesOf({ before, work, after }: Timed, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    await before?.();
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
    await after?.();
  }
  return times;
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
