import { table } from '../../tools/pages/markdown.ts';
import type { StrainsResult } from './run-strains.ts';

/** Facts of a run beside its results. */
export interface StrainsRun {
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  /** Day such as 2026-01-31. */
  readonly day: string;
}

/** Returns docs/evidence/strains.md with one chapter per strain. */
export function strainsPage(results: readonly StrainsResult[], { command, seconds, commit, day }: StrainsRun): string {
  const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
  return `${[
    '# Strains',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `A service on SQLite with simulated browsers was strained at random moments while clients worked; ${faults} faults in ${seconds} s. What clients were told is kept outside the service and read back after each round (the newest and some of the others) and at the end, after a \`kill -9\` and a restart (all of it).`,
    'A fault is: something acknowledged that is lost or says something else, an amount that fell, a task or session that does not end, a refusal with another status or at another time than stated by the strain, a read that is refused or takes 2.5 s longer than the answer of a control server at the same moment, no write 10 s after the strain, books that do not add up, bytes that no row owns, and a row whose bytes are gone.',
    ...results.flatMap(getChapter),
  ].join('\n\n')}\n`;
}

function getChapter(result: StrainsResult): string[] {
  const { strain, rounds, acknowledged, refused, facts, books, faults, servedMs, slowestReadMs, slowestControlMs } =
    result;
  const sorted = servedMs.toSorted((one, other) => one - other);
  const median = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  const refusals = [...refused].map(([status, times]) => `${status} ${times} times`).join(', ');
  return [
    `## ${strain.name}`,
    `${rounds} rounds: ${strain.what}. Refused: ${refusals === '' ? 'nothing' : refusals}. A write was answered ${median} ms (median) after the strain, ${Math.round(sorted.at(-1) ?? 0)} ms at most; the slowest read while it lasted took ${Math.round(slowestReadMs)} ms (${Math.round(slowestControlMs)} ms of the control server, which only waits for its disk). ${facts} facts read back; the books have ${books.sessions} sessions, ${books.runs} runs and ${books.steps} steps.`,
    table(
      ['Acknowledged', 'Times'],
      [...acknowledged]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : ['Faults:', faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
}
