import { openJournal } from '../journal.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { runStalls } from './run-stalls.ts';
import { type Tally, offenderLine, pollerFigures, pollerMsMax, blockedMsMax, grownMibMax } from './tally.ts';
import { files } from './entries/files.ts';
import { mails } from './entries/mails.ts';
import { mocks } from './entries/mocks.ts';
import { models } from './entries/models.ts';
import { pages } from './entries/pages.ts';
import { requests } from './entries/requests.ts';
import { sockets } from './entries/sockets.ts';
import { otherBodies, taskBodies } from './entries/task-bodies.ts';
import type { EntryPoint } from './watched-service.ts';
import { table } from '../../tools/pages/markdown.ts';

/** Options of the proof. */
export interface ProveStallsOptions {
  /** Text that the name of an entry point must contain; empty for all entry points. With `input`, the complete name. */
  readonly only: string;
  readonly seed: number;
  /** Number of inputs per entry point. */
  readonly inputs: number;
  readonly minutes: number;
  /** Whether to start again, ignoring earlier results on this commit. */
  readonly fresh: boolean;
  /** Number of the only input to send, as printed with an input above a limit. No evidence is written then. */
  readonly input?: number | undefined;
}

/**
 * Sends worst-case inputs to the selected entry points and writes docs/evidence/stalls.md if all are selected. Returns
 * false when a limit is exceeded, or when `minutes` have passed before all inputs were sent.
 */
export async function proveStalls({ only, seed, inputs, minutes, fresh, input }: ProveStallsOptions): Promise<boolean> {
  const isAlone = input !== undefined;
  const chosen = entryPoints.filter(({ name }) => (isAlone ? name === only : name.includes(only)));
  if (chosen.length === 0)
    throw new Error(
      `found no entry point of the name ${only}; known are ${entryPoints.map(({ name }) => name).join(', ')}`,
    );
  console.log(
    `${inputs} inputs for ${chosen.length} entry points with seed ${seed}: npm run long -- stalls --seed ${seed}`,
  );
  const begun = performance.now();
  const until = begun + minutes * 60_000;
  const journal = openJournal<KeptTally>(`stalls-${seed}-${inputs}`, fresh);
  const tallies: Tally[] = [];
  for (const entry of chosen) {
    const known = isAlone ? undefined : journal.done.get(entry.name);
    if (known !== undefined) {
      tallies.push({ ...known, results: new Map(known.results) });
      continue;
    }
    if (performance.now() > until) continue;
    const tally = await runStalls({
      entry,
      seed,
      from: input ?? 0,
      inputs: isAlone ? 1 : inputs,
      until,
      onOffender: (offender) => console.error(`OFFENDER ${offenderLine(offender, seed)}`),
    });
    tallies.push(tally);
    if (tally.sent === inputs) journal.add({ ...tally, key: entry.name, results: [...tally.results] });
    console.log(tallyLine(tally));
  }
  const minutesTaken = Math.round((performance.now() - begun) / 60_000);
  if (only === '') writePage(tallies, { seed, inputs, commit: journal.commit, minutes: minutesTaken });
  const wanted = isAlone ? 1 : inputs;
  return tallies.length === chosen.length && tallies.every((tally) => tally.sent === wanted && meetsTargets(tally));
}

function writePage(tallies: readonly Tally[], run: Omit<StallsRun, 'day'>): void {
  mkdirSync('docs/evidence', { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync('docs/evidence/stalls.md', stallsPage(tallies, { ...run, day }));
}

/** A tally as the journal keeps it. */
type KeptTally = Omit<Tally, 'results'> & { readonly key: string; readonly results: readonly [string, number][] };

function meetsTargets({ offenders, polls }: Tally): boolean {
  return offenders.length === 0 && pollerFigures(polls).ownMs <= pollerMsMax;
}

function tallyLine({ entry, sent, worstMs, worstBusyMs, worstMib, polls, offenders, results }: Tally): string {
  const { ownMs, wallMs } = pollerFigures(polls);
  const told = [...results].map(([result, times]) => `${result} x ${times}`).join('; ');
  const figures = `${worstMs.toFixed(0)} ms (${worstBusyMs.toFixed(0)} ms of a processor), ${worstMib.toFixed(0)} MiB, poller p99 ${ownMs.toFixed(0)} ms (${wallMs.toFixed(0)} by the clock)`;
  return `${entry}: ${sent} sent, at most ${figures}, ${offenders.length} offenders (${told})`;
}

/** Every point at which a service reads untrusted input. */
export const entryPoints: readonly EntryPoint[] = [
  ...taskBodies,
  ...otherBodies,
  ...requests,
  ...files,
  ...mails,
  ...models,
  ...mocks,
  ...sockets,
  ...pages,
];

/** Facts about a run for the evidence page. */
export interface StallsRun {
  readonly seed: number;
  readonly inputs: number;
  readonly commit: string;
  readonly day: string;
  readonly minutes: number;
}

/** Returns the content of docs/evidence/stalls.md. */
export function stallsPage(tallies: readonly Tally[], { seed, inputs, commit, day, minutes }: StallsRun): string {
  const sent = tallies.reduce((sum, tally) => sum + tally.sent, 0);
  const offenders = tallies.flatMap((tally) => tally.offenders);
  const polls = tallies.flatMap((tally) => tally.polls);
  const { ownMs, wallMs } = pollerFigures(polls);
  const rows = tallies.map((tally) => [
    tally.entry,
    String(tally.sent),
    tally.worstMs.toFixed(0),
    tally.worstBusyMs.toFixed(0),
    tally.worstMib.toFixed(0),
    pollerFigures(tally.polls).ownMs.toFixed(0),
    pollerFigures(tally.polls).wallMs.toFixed(0),
    tally.delayMs.toFixed(0),
    String(tally.offenders.length),
    [...tally.results].map(([result, times]) => `${result}: ${times}`).join('; '),
  ]);
  const head = [
    'Entry point',
    'Inputs',
    'Blocked (ms)',
    'of a processor (ms)',
    'Memory (MiB)',
    'Poller p99 (ms)',
    'by the clock (ms)',
    'Loop p99 (ms)',
    'Offenders',
    'Results',
  ];
  return `${[
    '# Stalls',
    `Written by \`npm run long -- stalls --seed ${seed} --inputs ${inputs}\` on commit ${commit}, ${day}.`,
    `${sent} of the worst inputs were sent to ${tallies.length} entry points in ${minutes} minutes, one at a time, while a client of another project\npolled its session every 5 ms. Polls of that client: ${polls.length}, p99 ${ownMs.toFixed(0)} ms (target: at most ${pollerMsMax} ms), ${wallMs.toFixed(0)} ms by the clock.`,
    `An offender is an input that blocks the event loop for more than ${blockedMsMax} ms or adds more than ${grownMibMax} MiB, three times in a row. Blocked time and the time of polls exclude\nthe time in which the kernel ran other processes in their place; memory is the highest resident size of the process, workers included. A poll that was due\nwhile the previous poll was pending counts with the rest of the time of that poll.`,
    table(head, rows),
    '## Offenders',
    offenders.length === 0 ? 'None.' : offenders.map((offender) => `- ${offenderLine(offender, seed)}`).join('\n'),
  ].join('\n\n')}\n`;
}
