/** Two ways to do the same thing: ours, and the barest one that there is. */
export interface Pair {
  readonly name: string;
  readonly subject: () => Promise<unknown>;
  readonly baseline: () => Promise<unknown>;
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
export async function measure({ name, subject, baseline, calls, rounds }: Pair): Promise<Measured> {
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

async function timesOf(work: () => Promise<unknown>, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
