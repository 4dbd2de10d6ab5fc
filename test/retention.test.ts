import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, asyncProperty, constantFrom, subarray } from 'fast-check';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { type Periods, parseDays, parseRetention } from '#platform/retention/periods.ts';
import type { RetentionKind } from '#store/queries/retention.ts';
import { createDataFile } from '#lib/testing/create-data-file.ts';
import { sweepOnce } from '#platform/retention/sweep.ts';
import { newBlobKey } from '#store/blobs/blobs.ts';
import { blobColumns } from '#store/blobs/unreferenced-blobs.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules, getLimit } from '#contract/rule-book.ts';
import { sql } from 'kysely';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { desk, makeWorkspace } from './support/workspace-client.ts';

const dayMs = 86_400_000;
const periodDays = 3;
const kinds = defaultRules.retention.kinds.map(({ kind }) => kind) as RetentionKind[];
const allKinds = parseDays(String(periodDays));

let started: StartedBackend;
afterEach(() => started.stop());

const client = (version: 'v2' | 'v3' | 'v4') => createApiClient(started.address, testKey, version);

/** A session in which a history has run a task, with what the test itself knows about it. */
interface Thing {
  readonly version: 'v2' | 'v3' | 'v4';
  readonly id: string;
  readonly runId: string | null;
  /** Time of the end on the service's clock; null while the session lives. */
  endedAt: number | null;
  deletedAt: number | null;
  shared: boolean;
  /** Workspace of the run; null without one. */
  readonly workspaceId: string | null;
}

interface History {
  readonly things: Thing[];
  /** Ids of workspaces that have a name, each with one file. */
  readonly named: string[];
  /** Standalone browsers that have ended, each with one download. */
  readonly browsers: { readonly id: string; readonly endedAt: number }[];
}

const made = (
  thing: Pick<Thing, 'version' | 'id' | 'runId'>,
  ended: boolean,
  workspaceId: string | null = null,
): Thing => ({
  ...thing,
  workspaceId,
  endedAt: ended ? started.clock.now() : null,
  deletedAt: null,
  shared: false,
});

async function v3({ things }: History, ends: boolean): Promise<void> {
  const api = client('v3');
  const id = String((await api.call('POST', '/sessions', { task: 'Say x', keepAlive: !ends })).body['id']);
  await api.until(id, ({ status }) => status === (ends ? 'stopped' : 'idle'));
  things.push(made({ version: 'v3', id, runId: null }, ends));
}

async function v2({ things }: History): Promise<Thing> {
  const api = client('v2');
  const id = String((await api.call('POST', '/sessions', {})).body['id']);
  const task = (await api.call('POST', '/tasks', { task: 'Say x', sessionId: id })).body['id'];
  await api.until(String(task), ({ status }) => status === 'finished');
  await api.call('PATCH', `/sessions/${id}`, { action: 'stop' });
  const thing = made({ version: 'v2', id, runId: String(task) }, true);
  things.push(thing);
  return thing;
}

async function v4({ things }: History, workspace: { workspaceId?: string }): Promise<void> {
  const api = client('v4');
  const body = { task: "Write 'abc' to the file a.txt", ...workspace };
  const created = (await api.call('POST', '/runs', body)).body;
  await api.until(String(created['id']), ({ status }) => status === 'completed');
  const ids = { id: String(created['sessionId']), runId: String(created['id']) };
  things.push(made({ version: 'v4', ...ids }, false, String(created['workspaceId'])));
}

/** Steps from which histories are generated. A step that finds no resource to act on does nothing. */
const steps = {
  'v3 ends': (history: History) => v3(history, true),
  'v3 stays': (history: History) => v3(history, false),
  async 'v2 ends'(history: History) {
    await v2(history);
  },
  async 'v2 shared'(history: History) {
    const thing = await v2(history);
    await client('v2').call('POST', `/sessions/${thing.id}/public-share`);
    thing.shared = true;
  },
  'v4 runs': (history: History) => v4(history, {}),
  async 'v4 in a named workspace'(history: History) {
    const workspaceId = await makeWorkspace(client('v4'));
    await v4(history, { workspaceId });
    history.named.push(workspaceId);
  },
  async 'v4 is deleted'({ things }: History) {
    const thing = things.find(({ version, deletedAt }) => version === 'v4' && deletedAt === null);
    if (thing === undefined) return;
    await client('v4').call('DELETE', `/sessions/${thing.id}`);
    Object.assign(thing, { deletedAt: started.clock.now(), endedAt: started.clock.now() });
  },
  async 'share ends'({ things }: History) {
    const thing = things.find(({ shared }) => shared);
    if (thing === undefined) return;
    await client('v2').call('DELETE', `/sessions/${thing.id}/public-share`);
    thing.shared = false;
  },
  async 'video of the latest'({ things }: History) {
    const thing = things.at(-1);
    if (thing === undefined || thing.deletedAt !== null) return;
    const key = newBlobKey('webm');
    await putBlob(key);
    const now = started.clock.now();
    const row = { id: key, ownerId: thing.id, status: 'ready', goesOn: 0, blobKey: key, size: 5 } as const;
    const values = { ...row, createdAt: now, endedAt: now };
    await started.backend.db.insertInto('recordings').values(values).execute();
  },
  async 'a browser with a download'({ browsers }: History) {
    const id = String((await client('v4').call('POST', '/browsers', {})).body['id']);
    const key = newBlobKey('bin');
    await putBlob(key);
    const row = { id: key, browserId: id, path: 'a.bin', size: 5, blobKey: key, finishedAt: started.clock.now() };
    await started.backend.db.insertInto('downloads').values(row).execute();
    await client('v4').call('PATCH', `/browsers/${id}`, { action: 'stop' });
    browsers.push({ id, endedAt: started.clock.now() });
  },
  async 'days pass'({ things }: History) {
    started.clock.advance(2 * dayMs);
    // Idle V3 sessions end meanwhile.
    for (const thing of things.filter(({ version, endedAt }) => version === 'v3' && endedAt === null)) {
      await client('v3').until(thing.id, ({ status }) => status === 'timed_out');
      thing.endedAt = started.clock.now();
    }
  },
} as const;
type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[];

/**
 * A history with every step except `share ends`, so that a task stays shared. The step `days pass` makes the first
 * resources old.
 */
const everyStep: Step[] = [
  'v2 shared',
  'video of the latest',
  'v2 ends',
  'video of the latest',
  'v3 ends',
  'v4 runs',
  'v4 is deleted',
  'v4 in a named workspace',
  'v4 is deleted',
  'v4 runs',
  'a browser with a download',
  'days pass',
  'days pass',
  'a browser with a download',
  'v3 ends',
  'v3 stays',
  'v2 ends',
];

async function putBlob(key: string): Promise<void> {
  const bytes = Buffer.from('video');
  await createDiskBlobs(join(started.dataFolder, 'blobs')).write(key, {
    bytes: (async function* () {
      yield bytes;
    })(),
    size: 5,
  });
}

/** Sweeps until no expired data are left. */
async function sweep(periods: Periods): Promise<void> {
  const { backend, clock, dataFolder } = started;
  const blobs = createDiskBlobs(join(dataFolder, 'blobs'));
  const parts = {
    db: backend.db,
    blobs,
    clock,
    rules: defaultRules,
    log: pino({ level: 'silent' }),
    newToken: () => newBlobKey('x'),
  };
  while (!(await sweepOnce(parts, periods, new AbortController().signal)));
}

const fetchRecords = async ({ version, id, runId }: Thing): Promise<unknown[]> => {
  const api = client(version);
  const paths = {
    v2: [`/tasks/${runId}`],
    v3: [`/sessions/${id}/messages`],
    v4: [`/runs/${runId}`, `/runs/${runId}/events`],
  };
  const answers = [];
  for (const path of [`/sessions/${id}`, ...paths[version]]) answers.push((await api.call('GET', path)).body);
  return answers;
};

/** Returns answers without the queries of their URLs, which contain the signatures. */
const lasting = (answers: unknown): unknown => JSON.parse(JSON.stringify(answers).replaceAll(/\?[^"]*/g, ''));

/** Returns the signed URLs in answers. */
const addressesIn = (answers: unknown): string[] =>
  [...JSON.stringify(answers).matchAll(/"(http:[^"]*\?[^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll(String.raw`\u0026`, '&'),
  );

/** Returns the blob keys that a database row refers to. */
async function ownedKeys(): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const { table, column } of blobColumns) {
    const { rows } = await sql<{
      key: string | null;
    }>`select ${sql.ref(column)} as key from ${sql.table(table)}`.execute(started.backend.db);
    for (const { key } of rows) if (key !== null) keys.add(key);
  }
  return keys;
}

async function selectIds(table: 'events' | 'pictures', id: string): Promise<unknown[]> {
  return started.backend.db.selectFrom(table).select('sessionId').where('sessionId', '=', id).execute();
}

/**
 * Expects that a sweep has removed what has expired of a session, and has removed neither its record nor its events
 * before they expire. `before` is the time until which an ended session counts as expired.
 */
async function expectGone(thing: Thing, has: (kind: RetentionKind) => boolean, before: number): Promise<void> {
  const { version, id, endedAt, deletedAt, shared } = thing;
  const wasDeleted = deletedAt !== null;
  const isOld = endedAt !== null && endedAt <= before && !shared;
  const isErased = isOld && has(wasDeleted ? 'deletedSessions' : 'sessions');
  const { status } = await client(version).call('GET', `/sessions/${id}`);
  expect(status).toBe(wasDeleted || isErased ? 404 : 200);
  const without = (kind: RetentionKind): boolean => isErased || (isOld && !wasDeleted && has(kind));
  expect((await selectIds('events', id)).length === 0).toBe(without('events'));
  if (without('screenshots')) expect(await selectIds('pictures', id)).toEqual([]);
  const videos = started.backend.db.selectFrom('recordings').select('id').where('ownerId', '=', id);
  if (without('recordings')) expect(await videos.where('endedAt', '<=', before).execute()).toEqual([]);
}

/**
 * Expects that every URL in the answers of the service works, and that the stored blobs are exactly those to which a
 * row of the database refers.
 */
async function expectWhole({ things, named, browsers }: History): Promise<void> {
  const answers: unknown[] = [];
  for (const { id } of browsers) answers.push(await fetchDownloads(id));
  const worked = things.flatMap(({ deletedAt, workspaceId }) =>
    deletedAt === null && workspaceId !== null ? [workspaceId] : [],
  );
  for (const id of new Set([...named, ...worked])) {
    const files = await desk(client('v4'), id).files('?includeUrls=true');
    expect(files).toMatchObject([{ path: 'a.txt' }]);
    answers.push(files);
  }
  for (const thing of things) answers.push(await fetchRecords(thing));
  for (const address of addressesIn(answers)) expect((await fetch(address)).status).toBe(200);
  const folder = join(started.dataFolder, 'blobs');
  expect(await ownedKeys()).toEqual(new Set(existsSync(folder) ? readdirSync(folder) : []));
}

const fetchDownloads = async (id: string): Promise<JsonObject> =>
  (await client('v4').call('GET', `/browsers/${id}/downloads?includeUrls=true`)).body;

/**
 * Expects no downloads of a browser that ended at or before `before`, if a sweep has run. Expects the downloads of all
 * other browsers until `downloadLifetime` has passed, after which the service removes them by itself.
 */
async function expectDownloads({ browsers }: History, swept: boolean, before: number): Promise<void> {
  const keptMs = getLimit(defaultRules, 'downloadLifetime');
  for (const { id, endedAt } of browsers) {
    const { files } = await fetchDownloads(id);
    if (swept && endedAt <= before) expect(files).toEqual([]);
    else if (started.clock.now() - endedAt < keptMs) expect(files).toMatchObject([{ path: 'a.bin' }]);
  }
}

/** Expects that a workspace without a name, whose session is deleted, is archived or was changed after `before`. */
async function expectArchived({ things, named }: History, before: number): Promise<void> {
  for (const { workspaceId, deletedAt } of things) {
    if (workspaceId === null || named.includes(workspaceId) || deletedAt === null) continue;
    const { body } = await client('v4').call('GET', `/workspaces/${workspaceId}`);
    const { updatedAt: touched } = await started.backend.db
      .selectFrom('workspaces')
      .select('updatedAt')
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    expect(body['archived'] === true || touched > before).toBe(true);
  }
}

async function holds(history: readonly Step[], chosen: readonly RetentionKind[]): Promise<void> {
  started = await startBackend();
  const state: History = { things: [], named: [], browsers: [] };
  for (const step of history) await steps[step](state);
  const before = started.clock.now() - periodDays * dayMs;
  const kept = state.things.filter(
    ({ endedAt, shared, deletedAt }) => deletedAt === null && (endedAt === null || endedAt > before || shared),
  );
  const told: unknown[] = [];
  for (const thing of kept) told.push(lasting(await fetchRecords(thing)));
  await sweep(new Map([...allKinds].filter(([kind]) => chosen.includes(kind))));
  // Resources that live, are shared or are recent show the same records as before.
  for (const [index, thing] of kept.entries()) expect(lasting(await fetchRecords(thing))).toEqual(told[index]);
  for (const thing of state.things) await expectGone(thing, (kind) => chosen.includes(kind), before);
  if (chosen.includes('workspaces')) await expectArchived(state, before);
  await expectDownloads(state, chosen.includes('downloads'), before);
  await expectWhole(state);
  await started.stop();
}

describe('retention', () => {
  it('never removes what an answer refers to, and all that is old and unreferred, for any history', async () => {
    const history = array(constantFrom(...stepNames), { maxLength: 14 });
    await assert(asyncProperty(history, subarray(kinds), holds), {
      numRuns: 12,
      examples: [[everyStep, kinds], ...kinds.map((kind): [Step[], RetentionKind[]] => [everyStep, [kind]])],
      ...(process.env['SVC_SEED'] === undefined ? {} : { seed: Number(process.env['SVC_SEED']) }),
    });
    started = await startBackend();
  });

  it.each([
    {
      given: 'recordings: 7\nsessions: 90',
      want: [
        ['recordings', 7 * dayMs],
        ['sessions', 90 * dayMs],
      ],
    },
    { given: 'recording: 7', want: 'the unknown kind "recording", expected one of sessions' },
    { given: 'recordings: 0', want: '0 as recordings, expected a whole number of days' },
    { given: 'recordings: 1.5', want: '1.5 as recordings' },
    { given: '- recordings', want: 'no mapping' },
  ])('reads $given', async ({ given, want }) => {
    started = await startBackend({ retention: allKinds });
    if (typeof want === 'string') expect(() => parseRetention(createDataFile(given, 'f'))).toThrow(want);
    else expect([...parseRetention(createDataFile(given, 'f'))]).toEqual(want);
  });

  it('comes to the service by its own clock', async () => {
    started = await startBackend({ retention: allKinds });
    const api = client('v3');
    const id = String((await api.call('POST', '/sessions', { task: 'Say x' })).body['id']);
    await api.until(id, ({ status }) => status === 'stopped');
    started.clock.advance(periodDays * dayMs + 1_000);
    await expect.poll(async () => (await api.call('GET', `/sessions/${id}`)).status).toBe(404);
  });
});
