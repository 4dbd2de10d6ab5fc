import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOld } from '../../../src/backend/retention/find-old.ts';
import { openDatabase } from '../../../src/backend/storage/database.ts';
import { defaultRules } from '../../../src/domain/rule-book.ts';
import { endStates } from '../../../src/domain/lifecycle.ts';
import { bootstrapKey } from '../../../src/backend/accounts/api-keys.ts';
import { type ServiceProcess, startService } from '../../long/service/service-process.ts';
import { answerOf } from '../answer-of.ts';
import { type FilledIds, fillDatabase } from './fill-database.ts';

/** A service on a filled database. */
interface Stored {
  readonly sessions: number;
  readonly service: ServiceProcess;
  readonly ids: FilledIds;
  /** How long retention takes to find what is old where nothing is, by kind, in milliseconds. */
  readonly findMs: ReadonlyMap<string, number>;
}

const [small, large] = [1_000, 1_000_000];
/** What another project has in the same tables. */
const others = 300;
const calls = 200;
const rounds = 3;
const goal = 1.3;
const [key, otherKey] = ['svc_stored', 'svc_stored_other'];
const kinds = [
  'sessions',
  'deletedSessions',
  'events',
  'screenshots',
  'recordings',
  'downloads',
  'workspaces',
] as const;

/** What is asked: a poll of each kind, and the first page of each list. */
const requests: readonly {
  readonly name: string;
  readonly path: (ids: FilledIds, n: number) => string;
  readonly key: string;
}[] = [
  { name: 'poll of a V2 task', path: ({ v2Task }, n) => `v2/tasks/${at(v2Task, n)}`, key },
  { name: 'poll of a V3 session', path: ({ v3Session }, n) => `v3/sessions/${at(v3Session, n)}`, key },
  { name: 'poll of a V4 run', path: ({ v4Run }, n) => `v4/runs/${at(v4Run, n)}`, key },
  { name: "poll of a V4 run's status", path: ({ v4Run }, n) => `v4/runs/${at(v4Run, n)}/status`, key },
  { name: "poll of a V4 run's events", path: ({ v4Run }, n) => `v4/runs/${at(v4Run, n)}/events`, key },
  { name: 'first page of V2 tasks', path: () => 'v2/tasks', key },
  { name: 'first page of V2 sessions', path: () => 'v2/sessions', key },
  { name: 'first page of active V2 sessions', path: () => 'v2/sessions?filterBy=active', key },
  { name: 'first page of V3 sessions', path: () => 'v3/sessions', key },
  { name: 'first page of V4 sessions', path: () => 'v4/sessions', key },
  { name: 'first page of V4 runs', path: () => 'v4/runs', key },
  { name: 'first page of V3 workspaces', path: () => 'v3/workspaces', key },
  { name: 'first page of V4 browsers', path: () => 'v4/browsers', key },
  { name: "another project's V2 tasks", path: () => 'v2/tasks', key: otherKey },
  { name: "another project's V3 sessions", path: () => 'v3/sessions', key: otherKey },
  { name: "another project's V4 runs", path: () => 'v4/runs', key: otherKey },
];

/** Polls and first pages with a million stored sessions and with a thousand, side by side; one line each, p99 of both and their ratio. */
export async function benchStored(folder: string): Promise<string[]> {
  await using owned = new AsyncDisposableStack();
  const both: Stored[] = [];
  for (const sessions of [small, large]) {
    const stored = await open(join(folder, String(sessions)), sessions);
    owned.defer(() => stored.service.stop());
    both.push(stored);
  }
  const [few, many] = both;
  if (few === undefined || many === undefined) throw new Error('two services are compared');
  const lines = [`p99 with ${many.sessions} stored sessions / with ${few.sessions} (goal ${goal})`];
  for (const request of requests) lines.push(await compare(request, few, many));
  lines.push(await compareMetrics(few, many));
  for (const kind of kinds)
    lines.push(lineOf(`retention finds no old ${kind}`, few.findMs.get(kind) ?? 0, many.findMs.get(kind) ?? 0));
  return lines;
}

async function open(folder: string, sessions: number): Promise<Stored> {
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  const db = await openDatabase(join(folder, 'svc.sqlite'));
  const ids = ['a', 'b'].map((letter) => `${letter.repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`);
  for (const [index, one] of [key, otherKey].entries())
    await bootstrapKey(db, one, { newId: () => ids[index] ?? '', now, grant: {} });
  await db.destroy();
  const [project = '', other = ''] = ids;
  fillDatabase(folder, { projectId: other, sessions: others, untilMs: now - sessions * 1000 });
  const filled = fillDatabase(folder, { projectId: project, sessions, untilMs: now });
  const findMs = await findTimes(folder);
  const args = [
    '--port',
    '0',
    '--data',
    folder,
    '--hosts',
    'simulated',
    '--log-level',
    'error',
    '--metrics',
    '127.0.0.1:0',
  ];
  return { sessions, ids: filled, findMs, service: await startService({ args }) };
}

/** Everything is younger than a year before the epoch: the whole question is how long it takes to see that. */
async function findTimes(folder: string): Promise<Map<string, number>> {
  const db = await openDatabase(join(folder, 'svc.sqlite'));
  const ended = endStates(defaultRules.lifecycle, 'session');
  const times = new Map<string, number>();
  for (const kind of kinds) {
    const query = { db, ended, before: 0, limit: 100, only: null };
    await findOld(kind, query);
    const begun = performance.now();
    await findOld(kind, query);
    times.set(kind, performance.now() - begun);
  }
  await db.destroy();
  return times;
}

async function compare(request: (typeof requests)[number], few: Stored, many: Stored): Promise<string> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, stored] of [few, many].entries()) {
      const taken = await timesOf(request, stored);
      // The first round warms up.
      if (round > 0) times[index]?.push(...taken);
    }
  return lineOf(request.name, p99(times[0]), p99(times[1]));
}

async function timesOf({ path, key: asked }: (typeof requests)[number], { service, ids }: Stored): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const begun = performance.now();
    await answerOf(`${service.address}/api/${path(ids, call)}`, { headers: { 'x-service-api-key': asked } }, 200);
    times.push(performance.now() - begun);
    // What takes so long is seen in few.
    if (performance.now() - begun > slowMs && call >= slowCalls) break;
  }
  return times;
}

const slowMs = 100;
const slowCalls = 4;

async function compareMetrics(few: Stored, many: Stored): Promise<string> {
  const timeOf = async ({ service }: Stored): Promise<number> => {
    const times: number[] = [];
    for (let call = 0; call < slowCalls; call += 1) {
      const begun = performance.now();
      await (await fetch(`${service.metrics}/metrics`)).text();
      times.push(performance.now() - begun);
    }
    return times.toSorted((one, other) => one - other)[slowCalls / 2] ?? 0;
  };
  return lineOf('metrics (median)', await timeOf(few), await timeOf(many));
}

function lineOf(name: string, fewMs: number, manyMs: number): string {
  const ratio = manyMs / fewMs;
  return `${name.padEnd(42)} ${ratio.toFixed(2).padStart(8)}   (${manyMs.toFixed(2)} ms / ${fewMs.toFixed(2)} ms)${ratio > goal ? '  over the goal' : ''}`;
}

function p99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
}

function at(ids: readonly string[], n: number): string {
  return ids[n % ids.length] ?? '';
}
