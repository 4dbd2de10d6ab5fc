import { createDraw } from '../draw.ts';
import { readFileSync } from 'node:fs';
import { type Report, type RunOptions, SuiteError, parseTarget, run } from '#conformance/index.ts';
import { KEYS, serveStranger } from '../stranger/server/serve.ts';
import { mangleNames } from './mangle.ts';
import { startManglingProxy } from './mangling-proxy.ts';

/** Options of the proof. */
interface ProveMangledOptions {
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

const target = readFileSync(new URL('../stranger/svc-target.yaml', import.meta.url), 'utf8');

/** Longest time of a run, in ms: three missed deadlines of tasks and the clean-up, on a busy machine. */
const runMsMax = 120_000;

/** Result of one run against mangled answers. */
interface MangledRun {
  readonly seed: number;
  readonly mangled: number;
  readonly durationMs: number;
  /** Problems of the suite; empty without any. */
  readonly problems: readonly string[];
}

/** Runs the suite once. The seed chooses the share of mangled answers, the ways to mangle them and the spend level. */
export async function runMangled(seed: number, more: Partial<RunOptions> = {}): Promise<MangledRun> {
  const draw = createDraw(seed);
  const server = await serveStranger();
  const ways = draw.chance(0.3) ? [draw.of(mangleNames)] : mangleNames;
  const proxy = await startManglingProxy({ target: server.url, draw, share: draw.of([0.01, 0.05, 0.3, 1]), ways });
  const spend = draw.of(['none', 'browser', 'task'] as const);
  const unhandled: string[] = [];
  const note = (error: unknown): void => void unhandled.push(`unhandled: ${stackOf(error)}`);
  process.on('unhandledRejection', note);
  const begun = performance.now();
  try {
    const text = `${target.replace(/taskDeadlineMs: \d+/, 'taskDeadlineMs: 1000').replace(/settleDeadlineMs: \d+/, 'settleDeadlineMs: 200')}control: ${server.url}/control\n`;
    const report = await run({
      target: parseTarget({ url: proxy.url, text }),
      apiKey: KEYS.first,
      otherApiKey: KEYS.second,
      profile: 'full',
      spend,
      seed,
      timeoutMs: 2000,
      ratePerSecond: 0,
      ...more,
    });
    return resultOf({ seed, mangled: proxy.mangled(), begun, problems: [...unhandled, ...errorsOf(report)] });
  } catch (error) {
    // A target that is no service, or that refuses the key, ends a run with this error.
    const problems = error instanceof SuiteError ? unhandled : [...unhandled, `thrown: ${stackOf(error)}`];
    return resultOf({ seed, mangled: proxy.mangled(), begun, problems });
  } finally {
    process.off('unhandledRejection', note);
    proxy.close();
    await server.close();
  }
}

function resultOf({ begun, problems, ...rest }: Omit<MangledRun, 'durationMs'> & { begun: number }): MangledRun {
  const durationMs = Math.round(performance.now() - begun);
  const late = durationMs > runMsMax ? [`took ${durationMs} ms; expected at most ${runMsMax}`] : [];
  return { ...rest, durationMs, problems: [...problems, ...late] };
}

function errorsOf(report: Report): string[] {
  return report.requirements
    .filter(({ verdict, reason }) => verdict === 'error' || (verdict === 'notRun' && (reason ?? '') === ''))
    .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason ?? 'without a reason'}`);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
