import { table } from '../../tools/pages/markdown.ts';
import { type Tally, blockedMsMax, grownMibMax, offenderLine, pollerFigures, pollerMsMax } from './tally.ts';

/** Facts about a run for its page of evidence: seed, number of inputs and commit. */
export interface StallsRun {
  readonly seed: number;
  readonly inputs: number;
  readonly commit: string;
  readonly day: string;
  readonly minutes: number;
}

/** Returns docs/evidence/stalls.md. */
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
    `An offender is an input that blocks the event loop for more than ${blockedMsMax} ms or adds more than ${grownMibMax} MiB, three times in a row. Blocked time and the time of polls exclude\nthe time in which the kernel ran other processes in their place; memory is the highest resident size of the process, workers included. A poll that was due\nwhile another one waited counts as one that waited for the rest of that time.`,
    table(head, rows),
    '## Offenders',
    offenders.length === 0 ? 'None.' : offenders.map((offender) => `- ${offenderLine(offender, seed)}`).join('\n'),
  ].join('\n\n')}\n`;
}
