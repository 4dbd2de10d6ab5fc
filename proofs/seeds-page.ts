import { writeFileSync } from 'node:fs';
import { table } from '../tools/pages/markdown.ts';
import type { GoodServer } from './good-servers.ts';
import { type SeedPart, shownSeeds } from './seed-parts.ts';

/** Writes what every commit has shown at which seeds. */
export function writeSeedsPage(servers: readonly GoodServer[], parts: readonly SeedPart[]): void {
  const partsOf = (id: string): SeedPart[] => parts.filter(({ server }) => server === id);
  const totals = servers.map(({ id, does, promises, seeds }) => [
    id,
    promises.length === 0 ? does : `${does} Not judged by ${promises.join(', ')}, which promise more.`,
    `${distinct(partsOf(id))} of ${seeds}`,
    String(shownSeeds(parts, id, null).size),
    String(sum(partsOf(id).map(({ requests }) => requests))),
    String(sum(partsOf(id).map(({ alarms }) => alarms.length))),
  ]);
  const rows = servers.flatMap(({ id }) => partsOf(id)).map(rowOf);
  const alarms = parts.flatMap((part) => part.alarms.map((alarm) => `- ${part.commit}: ${alarm}`));
  const text = [
    '# Seeds',
    'Written by `npm run long -- seeds`.',
    'Every run judges a server that does nothing wrong by the whole suite (`--profile full --spend task`, two keys). An alarm is a finding, an error of the suite or a thing left alive. A proof goes on behind the seeds at which an earlier commit has raised none: those are clean. Alarms stay listed when they are mended.',
    table(['Server', 'What it does', 'Seeds', 'Clean', 'Requests', 'Alarms'], totals),
    '## By commit',
    table(['Commit', 'Day', 'Server', 'Seeds', 'Runs', 'Requests', 'Alarms', 'Seconds'], rows),
    ...(alarms.length === 0 ? [] : ['## Alarms', alarms.join('\n')]),
  ].join('\n\n');
  writeFileSync('docs/evidence/seeds.md', `${text}\n`);
}

function rowOf({ commit, date, server, seeds, runs, requests, alarms, seconds }: SeedPart): string[] {
  const shown = seeds.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`)).join(', ');
  return [commit, date, server, shown, ...[runs, requests, alarms.length, seconds].map(String)];
}

/** Seeds that were judged once or oftener. */
function distinct(parts: readonly SeedPart[]): number {
  const rows = parts.flatMap(({ seeds }) => seeds);
  return new Set(rows.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))).size;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
