import { table } from '../../tools/pages/markdown.ts';
import { brokenClients } from '../../test/check-client/broken-clients.ts';
import { type ClientDone, goodClients, seedsMax } from './client-runs.ts';

/** Writes what was judged on a commit as a page. */
export function clientsPage(done: readonly ClientDone[], commit: string): string {
  const broken = done.filter(({ key }) => key.startsWith('broken '));
  const good = done.filter(({ key }) => !key.startsWith('broken '));
  const others = broken.filter(({ client, found }) => found.some((id) => id !== client));
  const missed = broken.filter(({ client, found }) => !found.includes(client));
  return `${[
    '# Clients',
    `Written by \`npm run long -- clients\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}.`,
    'Each adapter of `examples/check-client` keeps the rules for clients. A seed decides faults, texts and timings; each judgement starts the ' +
      'program once for every trial. A finding about an adapter is a false alarm.',
    table(
      ['Adapter', 'Seeds', 'Programs started', 'False alarms', 'Rules without a verdict', 'Seconds: median, most'],
      goodClients.map(({ name }) =>
        goodRow(
          name,
          good.filter(({ client }) => client === name),
        ),
      ),
    ),
    ...list(
      'False alarms',
      good.flatMap(({ key, notes }) => notes.map((note) => `${key}: ${note}`)),
    ),
    '## Broken clients',
    `${broken.length} of the ${brokenClients.length} clients that break one rule were judged by every rule in every trial: ${broken.length - missed.length} were caught by ` +
      `their rule, ${broken.length - new Set([...missed, ...others]).size} by that rule alone.`,
    ...list('Caught by another rule too', others.map(otherLine)),
    ...list(
      'Not caught',
      missed.map(({ key }) => key),
    ),
  ].join('\n\n')}\n`;
}

function goodRow(name: string, runs: readonly ClientDone[]): string[] {
  const seconds = runs.map((run) => run.seconds).toSorted((one, other) => one - other);
  const open = new Set(runs.flatMap((run) => run.open));
  return [
    name,
    `${runs.length} of ${seedsMax}`,
    String(runs.reduce((sum, { trials }) => sum + trials, 0)),
    String(runs.reduce((sum, { notes }) => sum + notes.length, 0)),
    open.size === 0 ? '0' : [...open].join(', '),
    `${(seconds[Math.floor(seconds.length / 2)] ?? 0).toFixed(0)}, ${(seconds.at(-1) ?? 0).toFixed(0)}`,
  ];
}

function otherLine({ key, client, found }: ClientDone): string {
  return `${key}: ${found.filter((id) => id !== client).join(', ')}`;
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`### ${title}`, lines.map((line) => `- ${line}`).join('\n')];
}
