import { createDraw } from '../draw.ts';
import { runMangled } from './run-mangled.ts';

/** Options of the proof. */
export interface ProveMangledOptions {
  readonly seed: number;
  /** Number of runs at most. @defaultValue 200 */
  readonly seedsMax: number;
  readonly minutes: number;
}

const runsMax = 200;

/** Runs the suite against mangled answers and prints each problem; false when a run had one. */
export async function proveMangled({ seed, seedsMax, minutes }: ProveMangledOptions): Promise<boolean> {
  const count = Math.min(runsMax, seedsMax);
  const draw = createDraw(seed);
  const seeds = seedsMax === 1 ? [seed] : Array.from({ length: count }, () => draw.below(2 ** 31));
  const until = performance.now() + minutes * 60_000;
  let [problems, done, longestMs] = [0, 0, 0];
  for (const one of seeds) {
    if (performance.now() > until) break;
    const result = await runMangled(one);
    done += 1;
    longestMs = Math.max(longestMs, result.durationMs);
    problems += result.problems.length;
    for (const problem of result.problems)
      console.error(`${problem}\n  npm run long -- mangled --seeds 1 --seed ${one}`);
    if (done % 25 === 0) console.log(`${done} of ${seeds.length}`);
  }
  console.log(`${done} of ${seeds.length} runs, ${problems} problems, the longest took ${longestMs} ms`);
  return problems === 0 && done === seeds.length;
}
