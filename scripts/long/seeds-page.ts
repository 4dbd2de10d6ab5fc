import { mkdirSync, writeFileSync } from 'node:fs';
import { table } from '../pages/markdown.ts';
import type { GoodServer } from './good-servers.ts';
import type { Proved } from './prove.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Writes what was found at which seeds. */
export function writeSeedsPage(servers: readonly GoodServer[], { commit, planned, done, problems }: Proved): void {
  const rows = servers.flatMap(({ id, does, promises }) => {
    const runs = done.filter(({ server }) => server === id);
    if (runs.length === 0) return [];
    const alarms = problems.filter((problem) => problem.startsWith(`${id} `));
    const seeds = runs.map(({ seed }) => seed);
    return [
      [
        id,
        promises.length === 0 ? does : `${does} Not judged by ${promises.join(', ')}, which promise more.`,
        `${Math.min(...seeds)} to ${Math.max(...seeds)}`,
        String(runs.length),
        String(sum(runs.map(({ requests }) => requests))),
        String(alarms.length),
        String(Math.round(sum(runs.map(({ seconds }) => seconds)))),
      ],
    ];
  });
  const text = [
    '# Seeds',
    `Written by \`npm run long -- seeds\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    `Every run judges a server that does nothing wrong by the whole suite (\`--profile full --spend task\`, two keys): ${done.length} of ${planned} planned runs, ${problems.length} alarms. An alarm is a finding, an error of the suite or a thing left alive.`,
    table(['Server', 'What it does', 'Seeds', 'Runs', 'Requests', 'Alarms', 'Seconds'], rows),
    ...(problems.length === 0 ? [] : ['## Alarms', problems.map((problem) => `- ${problem}`).join('\n')]),
  ].join('\n\n');
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/seeds.md', `${text}\n`);
}
