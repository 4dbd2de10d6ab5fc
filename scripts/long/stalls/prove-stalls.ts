import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { entryPoints } from './entry-points.ts';
import { runStalls } from './run-stalls.ts';
import { stallsPage } from './stalls-page.ts';
import { type Tally, offenderLine, pollerFigures, pollerMsMax } from './tally.ts';

/** What is to be sent. */
export interface ProveStallsOptions {
  /** A part of the names of the entry points; all when empty. */
  readonly only: string;
  readonly seed: number;
  /** Inputs of each entry point. */
  readonly inputs: number;
  readonly minutes: number;
  /** One input to send alone, as it was printed; nothing is written then. */
  readonly input?: number | undefined;
}

/** Sends the worst inputs to every entry point and writes docs/evidence/stalls.md; false when a target is missed. */
export async function proveStalls({ only, seed, inputs, minutes, input }: ProveStallsOptions): Promise<boolean> {
  const chosen = entryPoints.filter(({ name }) => (input === undefined ? name.includes(only) : name === only));
  if (chosen.length === 0)
    throw new Error(
      `found no entry point of the name ${only}; known are ${entryPoints.map(({ name }) => name).join(', ')}`,
    );
  console.log(
    `${inputs} inputs for ${chosen.length} entry points with seed ${seed}: npm run long -- stalls --seed ${seed}`,
  );
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const begun = performance.now();
  const until = begun + minutes * 60_000;
  const tallies: Tally[] = [];
  for (const entry of chosen) {
    if (performance.now() > until) break;
    const tally = await runStalls({
      entry,
      seed,
      from: input ?? 0,
      inputs: input === undefined ? inputs : 1,
      until,
      onOffender: (offender) => console.error(`OFFENDER ${offenderLine(offender, seed)}`),
    });
    tallies.push(tally);
    console.log(tallyLine(tally));
  }
  const minutesTaken = Math.round((performance.now() - begun) / 60_000);
  if (only === '') {
    mkdirSync('docs/evidence', { recursive: true });
    const day = new Date().toISOString().slice(0, 10);
    writeFileSync('docs/evidence/stalls.md', stallsPage(tallies, { seed, inputs, commit, day, minutes: minutesTaken }));
  }
  const isWhole =
    tallies.length === chosen.length && tallies.every(({ sent }) => sent === (input === undefined ? inputs : 1));
  return isWhole && tallies.every(meetsTargets);
}

function meetsTargets({ offenders, polls }: Tally): boolean {
  return offenders.length === 0 && pollerFigures(polls).ownMs <= pollerMsMax;
}

function tallyLine({ entry, sent, worstMs, worstMib, polls, offenders, results }: Tally): string {
  const { ownMs, wallMs } = pollerFigures(polls);
  const told = [...results].map(([result, times]) => `${result} x ${times}`).join('; ');
  const figures = `${worstMs.toFixed(0)} ms, ${worstMib.toFixed(0)} MiB, poller p99 ${ownMs.toFixed(0)} ms (${wallMs.toFixed(0)} by the clock)`;
  return `${entry}: ${sent} sent, at most ${figures}, ${offenders.length} offenders (${told})`;
}
