import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { type Periods, type RetentionKind, parseRetention, retentionOfDays } from '#backend/retention/index.ts';
import { sweepOnce } from '#backend/retention/sweep-once.ts';
import { newBlobKey } from '#backend/storage/blob-key.ts';
import { blobColumns } from '#backend/storage/blob-columns.ts';
import { createDiskBlobs } from '#backend/storage/disk-blobs.ts';
import { defaultRules } from '#domain/rule-book.ts';
import { sql } from 'kysely';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { desk, makeWorkspace } from './support/workspace-client.ts';

const dayMs = 86_400_000;
const periodDays = 3;
const kinds = defaultRules.retention.kinds.map(({ kind }) => kind) as RetentionKind[];
const allKinds = retentionOfDays(String(periodDays));

let started: StartedBackend;
afterEach(() => started.stop());

const client = (version: 'v2' | 'v3' | 'v4') => createApiClient(started.address, testKey, version);

/** What a history has made, and all that the test knows of it by itself. */
interface Thing {
  readonly version: 'v2' | 'v3' | 'v4';
  readonly id: string;
  readonly runId: string | null;
  /** When it ended by the service's clock, or null as long as it lives. */
  endedAt: number | null;
  deletedAt: number | null;
  shared: boolean;
}

/** Steps of a history; each does nothing where there is nothing to do it to. */
const steps = [
  'v3 ends',
  'v3 stays',
  'v2 shared',
  'v2 ends',
  'v4 runs',
  'v4 in a named workspace',
  'v4 is deleted',
  'share ends',
  'video of the latest',
  'days pass',
] as const;
type Step = (typeof steps)[number];

interface History {
  readonly things: Thing[];
  readonly named: string[];
}

async function play(step: Step, { things, named }: History): Promise<void> {
  const now = started.clock.now();
  const add = (thing: Pick<Thing, 'version' | 'id' | 'runId'> & { ended: boolean }): Thing => {
    const { ended, ...rest } = thing;
    const made = { ...rest, endedAt: ended ? started.clock.now() : null, deletedAt: null, shared: false };
    things.push(made);
    return made;
  };
  switch (step) {
    case 'v3 ends':
    case 'v3 stays': {
      const ends = step === 'v3 ends';
      const api = client('v3');
      const id = String((await api.call('POST', '/sessions', { task: 'Say x', keepAlive: !ends })).body['id']);
      await api.until(id, ({ status }) => status === (ends ? 'stopped' : 'idle'));
      add({ version: 'v3', id, runId: null, ended: ends });
      return;
    }
    case 'v2 shared':
    case 'v2 ends': {
      const api = client('v2');
      const id = String((await api.call('POST', '/sessions', {})).body['id']);
      const task = (await api.call('POST', '/tasks', { task: 'Say x', sessionId: id })).body['id'];
      await api.until(String(task), ({ status }) => status === 'finished');
      await api.call('PATCH', `/sessions/${id}`, { action: 'stop' });
      const made = add({ version: 'v2', id, runId: String(task), ended: true });
      if (step === 'v2 ends') return;
      expect((await api.call('POST', `/sessions/${id}/public-share`)).status).toBe(201);
      made.shared = true;
      return;
    }
    case 'v4 runs':
    case 'v4 in a named workspace': {
      const api = client('v4');
      const workspace = step === 'v4 runs' ? {} : { workspaceId: await makeWorkspace(api) };
      const body = { task: "Write 'abc' to the file a.txt", ...workspace };
      const created = (await api.call('POST', '/runs', body)).body;
      await api.until(String(created['id']), ({ status }) => status === 'completed');
      if ('workspaceId' in workspace) named.push(workspace.workspaceId);
      add({ version: 'v4', id: String(created['sessionId']), runId: String(created['id']), ended: false });
      return;
    }
    case 'v4 is deleted': {
      const thing = things.find(({ version, deletedAt }) => version === 'v4' && deletedAt === null);
      if (thing === undefined) return;
      expect((await client('v4').call('DELETE', `/sessions/${thing.id}`)).status).toBe(204);
      Object.assign(thing, { deletedAt: now, endedAt: now });
      return;
    }
    case 'share ends': {
      const thing = things.find(({ shared }) => shared);
      if (thing === undefined) return;
      await client('v2').call('DELETE', `/sessions/${thing.id}/public-share`);
      thing.shared = false;
      return;
    }
    case 'video of the latest': {
      const thing = things.at(-1);
      if (thing === undefined || thing.deletedAt !== null) return;
      const key = newBlobKey('webm');
      await putBlob(key);
      const row = { id: key, owner_id: thing.id, status: 'ready', goes_on: 0, blob_key: key, size: 5 } as const;
      await started.backend.db
        .insertInto('recordings')
        .values({ ...row, created_at: now, ended_at: now })
        .execute();
      return;
    }
    case 'days pass':
      started.clock.advance(2 * dayMs);
      // Idle sessions of V3 end meanwhile.
      for (const thing of things.filter(({ version, endedAt }) => version === 'v3' && endedAt === null)) {
        await client('v3').until(thing.id, ({ status }) => status === 'timed_out');
        thing.endedAt = started.clock.now();
      }
      return;
    default:
      step satisfies never;
  }
}

async function putBlob(key: string): Promise<void> {
  const bytes = Buffer.from('video');
  await createDiskBlobs(join(started.dataFolder, 'blobs')).write(key, {
    bytes: (async function* () {
      yield bytes;
    })(),
    size: 5,
  });
}

/** Sweeps until nothing old is left. */
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

const recordOf = async ({ version, id, runId }: Thing): Promise<unknown[]> => {
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

/** An answer without signatures and what time alone changes. */
const lasting = (answers: unknown): unknown => JSON.parse(JSON.stringify(answers).replaceAll(/\?[^"]*/g, ''));

/** Addresses of bytes in an answer. */
const addressesIn = (answers: unknown): string[] =>
  [...JSON.stringify(answers).matchAll(/"(http:[^"]*\?[^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll(String.raw`\u0026`, '&'),
  );

/** Keys that some row names. */
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

async function holds(history: readonly Step[], chosen: readonly RetentionKind[]): Promise<void> {
  started = await startBackend();
  const state: History = { things: [], named: [] };
  for (const step of history) await play(step, state);
  const periods = new Map([...allKinds].filter(([kind]) => chosen.includes(kind)));
  const before = started.clock.now() - periodDays * dayMs;
  const isOld = (time: number | null): boolean => time !== null && time <= before;
  const kept = state.things.filter(
    ({ endedAt, shared, deletedAt }) => deletedAt === null && (!isOld(endedAt) || shared),
  );
  const told = [];
  for (const thing of kept) told.push(lasting(await recordOf(thing)));

  await sweep(periods);

  // What lives, is shared or is young says what it said.
  for (const [index, thing] of kept.entries()) expect(lasting(await recordOf(thing))).toEqual(told[index]);
  const files = [];
  for (const id of state.named) files.push(await desk(client('v4'), id).files('?includeUrls=true'));
  for (const listed of files) expect(listed).toMatchObject([{ path: 'a.txt' }]);
  // Whatever an answer refers to is there.
  for (const thing of state.things) {
    const answers = await recordOf(thing);
    for (const address of [...addressesIn(answers), ...addressesIn(files)])
      expect((await fetch(address)).status).toBe(200);
  }
  // What is old and nothing refers to is gone, and no bytes are left that no row names.
  for (const { version, id, endedAt, deletedAt, shared } of state.things) {
    const gone = deletedAt !== null || (chosen.includes('sessions') && isOld(endedAt) && !shared);
    expect((await client(version).call('GET', `/sessions/${id}`)).status).toBe(gone ? 404 : 200);
    const left = await started.backend.db.selectFrom('events').select('id').where('session_id', '=', id).execute();
    const erased =
      (chosen.includes('deletedSessions') && isOld(deletedAt)) ||
      (deletedAt === null && isOld(endedAt) && !shared && (chosen.includes('events') || chosen.includes('sessions')));
    expect(left.length === 0).toBe(erased);
    const pictures = started.backend.db.selectFrom('pictures').select('key').where('session_id', '=', id);
    if (deletedAt === null && isOld(endedAt) && !shared && chosen.includes('screenshots'))
      expect(await pictures.execute()).toEqual([]);
    const videos = started.backend.db
      .selectFrom('recordings')
      .select('id')
      .where('owner_id', '=', id)
      .where('ended_at', '<=', before);
    if (
      isOld(endedAt) &&
      !shared &&
      (chosen.includes('recordings') || (deletedAt === null && chosen.includes('sessions')))
    )
      expect(await videos.execute()).toEqual([]);
  }
  const folder = join(started.dataFolder, 'blobs');
  const stored = new Set(existsSync(folder) ? readdirSync(folder) : []);
  expect(await ownedKeys()).toEqual(stored);
  await started.stop();
}

describe('retention', () => {
  it('never removes what an answer refers to, and all that is old and unreferred, for any history', {
    timeout: 300_000,
  }, async () => {
    const history = fc.array(fc.constantFrom(...steps), { maxLength: 14 });
    await fc.assert(fc.asyncProperty(history, fc.subarray(kinds), holds), {
      numRuns: 15,
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
    { given: 'recording: 7', want: 'found the kind recording in f, expected one of sessions' },
    { given: 'recordings: 0', want: 'found 0 as recordings of f, expected a whole number of days' },
    { given: 'recordings: 1.5', want: 'found 1.5 as recordings of f' },
    { given: '- recordings', want: 'found no mapping in f' },
  ])('reads $given', async ({ given, want }) => {
    started = await startBackend({ retention: allKinds });
    if (typeof want === 'string') expect(() => parseRetention(given, 'f')).toThrow(want);
    else expect([...parseRetention(given, 'f')]).toEqual(want);
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
