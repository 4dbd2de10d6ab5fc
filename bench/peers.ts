import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './peers/compare.ts';
import { evidencePage } from './peers/evidence-page.ts';
import { installPeers } from './peers/install.ts';
import { measurePeer, type Peer, type Prepared, readRuns, writeRuns } from './peers/peer.ts';
import { prepareDocument } from './peers/prepare-document.ts';
import { type Generation, drawSample, generations } from './peers/sample.ts';
import { dredd } from './peers/tools/dredd.ts';
import { portman } from './peers/tools/portman.ts';
import { respect } from './peers/tools/respect.ts';
import { schemathesis } from './peers/tools/schemathesis.ts';
import { specmatic } from './peers/tools/specmatic.ts';
import { suite, suiteToFirst } from './peers/tools/suite.ts';

/** npm run bench:peers: runs other tools and the suite against the same broken servers. */
const { values } = parseArgs({
  options: {
    'per-class': { type: 'string', default: '5' },
    'good-runs': { type: 'string', default: '3' },
    only: { type: 'string' },
    classes: { type: 'string' },
    runs: { type: 'string', default: 'reports/peers' },
    page: { type: 'string', default: 'docs/evidence/peers.md' },
    note: { type: 'string', default: '' },
    minutes: { type: 'string', default: '60' },
  },
});
const classes = values.classes?.split(',');
const sample = drawSample(Number(values['per-class'])).filter(({ kind }) => classes?.includes(kind) ?? true);
const goodRuns = Number(values['good-runs']);
const own: readonly Peer[] = [suite, suiteToFirst];
const everybody: readonly Peer[] = [...own, respect, dredd, portman, specmatic, schemathesis];
const asked = everybody.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name));
if (asked.some((peer) => !own.includes(peer))) installPeers();
const able = asked.filter((peer) => peer.missing() === undefined);
const scratch = mkdtempSync(join(tmpdir(), 'svc-peers-'));
mkdirSync(values.runs, { recursive: true });
// Earlier measurements are kept, so that a long measurement can be interrupted.
const measured = readRuns(values.runs);
const endsAt = performance.now() + Number(values.minutes) * 60_000;
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
