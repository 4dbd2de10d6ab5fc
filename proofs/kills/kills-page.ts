import { table } from '../../tools/pages/markdown.ts';
import type { KillsResult } from './run-kills.ts';

/** What a page says besides the results. */
export interface KillsRun {
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  /** Day, as 2026-01-31. */
  readonly day: string;
}

/** docs/evidence/kills.md of a run: a chapter for each fleet. */
export function killsPage(results: readonly KillsResult[], { command, seconds, commit, day }: KillsRun): string {
  const kills = results.reduce((sum, { killed }) => sum + total(killed), 0);
  const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
  return `${[
    '# Kills',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `${kills} times \`kill -9\` of a process at a random moment while clients worked; ${faults} faults in ${seconds} s. What clients were told is kept outside the service and read back after each kill (the newest and some of the others) and at the end (all of it).`,
    'A fault is: something acknowledged that is not there or says something else, an amount that fell, parts that are not their sum, an end that did not last, a task that does not end, events that are lost or out of order, an answer of 500 or none at all while nothing was killed, books that do not add up (tokens and money of steps, runs and sessions; a run begun or completed twice; a profile held by nobody), a process or folder that is left, bytes that nobody owns, and a row whose bytes are gone.',
    ...results.flatMap(chapterOf),
  ].join('\n\n')}\n`;
}

function chapterOf({ description, killed, acknowledged, facts, books, faults, restoredMs }: KillsResult): string[] {
  const slowest = Math.round(Math.max(0, ...restoredMs));
  const sorted = restoredMs.toSorted((one, other) => one - other);
  const median = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  return [
    `## ${description}`,
    `Killed: ${[...killed].map(([kind, times]) => `${kind} ${times}`).join(', ')}. Served again after ${median} ms (median), ${slowest} ms at most. ${facts} facts read back; the books have ${books.sessions} sessions, ${books.runs} runs and ${books.steps} steps.`,
    table(
      ['Acknowledged', 'Times'],
      [...acknowledged]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : [`Faults:`, faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
