import { table } from '../../tools/pages/markdown.ts';
import { brokenClients } from '../../test/check-client/broken-clients.ts';
import { type ClientDone, type ClientWork, goodClients } from './client-runs.ts';

/** Writes what was judged as a page; `all` is what a complete run judges of the good clients. */
export function clientsPage(done: readonly ClientDone[], all: readonly ClientWork[]): string {
  const broken = done.filter(({ key }) => key.startsWith('broken '));
  const good = done.filter(({ key }) => !key.startsWith('broken '));
  const others = broken.filter(({ client, found }) => found.some((id) => id !== client));
  const missed = broken.filter(({ client, found }) => !found.includes(client));
  return `${[
    '# Clients',
    `Written by \`npm run long -- clients\`, ${new Date().toISOString().slice(0, 10)}.`,
    '## Good clients',
    `Each adapter of \`examples/check-client\` keeps the rules for clients. A finding about an adapter is a false alarm. ${commitText(good)}`,
    'Seed 1 starts the program once for each trial. A seed decides faults, timings, the work of the mock, files and texts. Two seeds that ' +
      'draw the same situation for a trial differ in random words alone, so each situation of the seeds 1 to 100 is run once. The adapter ' +
      'for Playwright has a part of its own for browsers alone; further seeds run those trials of it.',
    table(
      ['Adapter', 'Judgements of seeds 1 to 100', 'Programs started', 'False alarms', 'Rules without a verdict'],
      goodClients.map(({ name }) =>
        goodRow(
          name,
          good.filter(({ client }) => client === name),
          all.filter(({ client }) => client === name),
        ),
      ),
    ),
    ...list(
      'False alarms',
      good.flatMap(({ key, notes }) => notes.map((note) => `${key}: ${note}`)),
    ),
    '## Broken clients',
    `${broken.length} of the ${brokenClients.length} clients that break one rule were judged by every rule: ${broken.length - missed.length} were caught by ` +
      `their rule, ${broken.length - new Set([...missed, ...others]).size} by that rule alone. ${commitText(broken)}`,
    `Each was run in all trials in which the good client executes a part that is broken (${broken.reduce((sum, { trials }) => sum + trials, 0)} ` +
      'programs started). In every other trial it does what the good client does.',
    ...list('Caught by another rule too', others.map(otherLine)),
    ...list(
      'Not caught',
      missed.map(({ key }) => key),
    ),
  ].join('\n\n')}\n`;
}

function commitText(done: readonly ClientDone[]): string {
  return `Commit ${[...new Set(done.map(({ commit }) => commit))].join(', ')}.`;
}

function goodRow(name: string, runs: readonly ClientDone[], all: readonly ClientWork[]): string[] {
  const open = runs.filter(({ seed }) => seed === 1).flatMap((run) => run.open);
  return [
    name,
    `${runs.length} of ${all.length}`,
    String(runs.reduce((sum, { trials }) => sum + trials, 0)),
    String(runs.reduce((sum, { notes }) => sum + notes.length, 0)),
    open.length === 0 ? '0' : open.join(', '),
  ];
}

function otherLine({ key, client, found }: ClientDone): string {
  return `${key}: ${found.filter((id) => id !== client).join(', ')}`;
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`### ${title}`, lines.map((line) => `- ${line}`).join('\n')];
}
