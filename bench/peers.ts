import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { readCount } from '../src/cli/flag-values.ts';
import { compare } from './peers/compare.ts';
import { evidencePage } from './peers/evidence-page.ts';
import { installPeers } from './peers/install.ts';
import { measurePeer, type Peer, type Prepared, readRuns, writeRuns } from './peers/peer.ts';
import { prepareDocument } from './peers/prepare-document.ts';
import { type Generation, classNames, drawSample, generations } from './peers/sample.ts';
import { dredd } from './peers/tools/dredd.ts';
import { portman } from './peers/tools/portman.ts';
import { respect } from './peers/tools/respect.ts';
import { schemathesis } from './peers/tools/schemathesis.ts';
import { specmatic } from './peers/tools/specmatic.ts';
import { suite, suiteToFirst } from './peers/tools/suite.ts';

const own: readonly Peer[] = [suite, suiteToFirst];
const allPeers: readonly Peer[] = [...own, respect, dredd, portman, specmatic, schemathesis];

/** npm run bench:peers: runs other tools and the suite against the same broken servers. */
const program = new Command('npm run bench:peers --')
  .description('Runs other tools and the suite against the same broken servers, and writes the evidence page.')
  .option('--per-class <count>', 'broken servers of each class', readCount, 5)
  .option('--good-runs <count>', 'runs against the good server of each generation', readCount, 3)
  .option(
    '--only <names>',
    'names of tools, separated by commas; all when absent',
    readList(allPeers.map(({ name }) => name)),
  )
  .option('--classes <names>', 'classes of faults, separated by commas; all when absent', readList(classNames))
  .option('--runs <folder>', 'folder with the results of all runs', 'reports/peers')
  .option('--page <file>', 'file for the evidence page', 'docs/evidence/peers.md')
  .option('--note <text>', 'remark for the reader of the page', '')
  .option('--minutes <count>', 'minutes after which no run begins', readCount, 60)
  .showHelpAfterError()
  .parse();
const values = program.opts<{
  perClass: number;
  goodRuns: number;
  only?: readonly string[];
  classes?: readonly string[];
  runs: string;
  page: string;
  note: string;
  minutes: number;
}>();
const { goodRuns } = values;
const sample = drawSample(values.perClass).filter(({ kind }) => values.classes?.includes(kind) ?? true);
const asked = allPeers.filter(({ name }) => values.only?.includes(name) ?? true);
if (asked.some((peer) => !own.includes(peer))) installPeers();
const able = asked.filter((peer) => peer.missing() === undefined);
const scratch = mkdtempSync(join(tmpdir(), 'svc-peers-'));
mkdirSync(values.runs, { recursive: true });
// Earlier measurements are kept, so that a long measurement can be interrupted.
const measured = readRuns(values.runs);
const endsAt = performance.now() + values.minutes * 60_000;
try {
  for (const peer of able) await measureAll(peer);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const columns = able.map(({ name }) => compare(name, measured, sample));
const met = sample.filter(({ id }) => columns.some((column) => column.met.includes(id)));
const page = evidencePage({ columns, sample: met, peers: asked, goodRuns, note: values.note });
writeFileSync(join(values.runs, 'peers.json'), `${JSON.stringify(columns, null, 1)}\n`);
writeFileSync(values.page, page);
console.log(page);

/**
 * Runs one tool against the good servers and then against the broken servers, because a complaint about a broken server
 * counts only if no run against a good server has it. Skips runs with a stored result. Starts no run after the time
 * limit.
 */
async function measureAll(peer: Peer): Promise<void> {
  const prepared = new Map<Generation, Prepared>();
  for (const generation of generations)
    prepared.set(generation, await peer.prepare(prepareDocument(generation), scratch));
  const good = Array.from({ length: goodRuns }, () =>
    generations.map((generation) => ({ generation, mutant: null })),
  ).flat();
  const jobs = [...good, ...sample.map((mutant) => ({ generation: mutant.generation, mutant }))];
  for (const { generation, mutant } of jobs) {
    if (performance.now() > endsAt) return;
    if (mutant !== null && has(peer.name, mutant.id)) continue;
    if (mutant === null && countGood(peer.name, generation) >= goodRuns) continue;
    const text = prepared.get(generation);
    if (text === undefined) throw new Error(`nothing is prepared for ${generation}`);
    const run = await measurePeer({ peer, prepared: text, generation, mutant }, scratch);
    measured.push(run);
    writeRuns(values.runs, run);
    const { seconds, requests, created, leftAlive, signatures } = run;
    console.error(
      `${peer.name} ${generation} ${mutant?.id ?? 'good'}: ${signatures.length} complaints, ${requests} requests, ${created} created, ${leftAlive} alive, ${seconds.toFixed(1)} s`,
    );
  }
}

function has(peer: string, mutant: string): boolean {
  return measured.some((run) => run.peer === peer && run.mutant === mutant);
}

function countGood(peer: string, generation: Generation): number {
  return measured.filter((run) => run.peer === peer && run.mutant === null && run.generation === generation).length;
}

/** Returns a parser of a list of known names, separated by commas. */
function readList(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(',');
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new InvalidArgumentError(`found ${unknown.join(', ')}. Expected one or more of: ${known.join(', ')}.`);
    return names;
  };
}
