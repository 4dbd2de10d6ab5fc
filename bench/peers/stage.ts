import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defaultRules } from '#contract/rule-book.ts';
import type { Given, Seen, Tamper } from '../../test/mutants/mutant.ts';
import { startTamperingProxy } from '../../test/mutants/tampering-proxy.ts';
import { createWorld } from '../../test/mutants/world.ts';
import { type StartedBackend, startBackend, testKey } from '../../test/support/start-backend.ts';
import type { Broken, Generation } from './sample.ts';
import { isJsonObject } from '#lib/json.ts';

/** A server with records behind a proxy that breaks responses and counts requests. */
export interface Stage {
  readonly address: string;
  /** URL of the clock control, for tools that can use it. */
  readonly control: string;
  readonly seeded: Seeded;
  /**
   * Returns the numbers of requests and accepted creations so far, and the number of new records that are still alive.
   */
  count(): Counts;
  stop(): Promise<void>;
}

/** Effects of one run on the server, from the proxy and from the server's storage. */
export interface Counts {
  readonly requests: number;
  /** Creations that the unbroken server accepted. */
  readonly created: number;
  /**
   * Number of running sessions and browsers, and of stored profiles and workspaces, that did not exist before the run.
   */
  readonly leftAlive: number;
}

/** Matches the paths of creations. */
const creates = /\/(sessions|tasks|runs|browsers|workspaces|profiles)$/;

/** SQL queries for the ids of living records, one query for each kind of record. */
const living = [
  // An idle session without a browser holds no resources.
  "SELECT id FROM sessions WHERE deleted_at IS NULL AND (status IN ('created', 'running') OR (status = 'idle' AND resumable = 0))",
  "SELECT id FROM browsers WHERE status = 'active'",
  'SELECT id FROM profiles',
  // A workspace of a session is deleted with the session, and no operation shows it.
  'SELECT id FROM workspaces WHERE archived_at IS NULL AND owner_id IS NULL',
] as const;

/** Limit of active sessions. It is high, because some tools end no session and should not be refused for that. */
const activeSessionsMax = 100_000;

/**
 * Starts a reference with simulated browsers and records, behind a proxy. A mutant states how the server is broken;
 * without a mutant, the server is good.
 */
export async function openStage(generation: Generation, broken?: Broken): Promise<Stage> {
  const rules = broken?.rules?.(defaultRules) ?? defaultRules;
  const good = await startBackend({ rules, activeSessionsMax, verifyEveryNth: Number.MAX_SAFE_INTEGER });
  const seeded = await seedStage(good.address, generation);
  const before = new Set(livingIds(good));
  const counted = { requests: 0, created: 0 };
  const world = createWorld(good.address, () => good.clock.now());
  const tamper = typeof broken?.tamper === 'function' ? broken.tamper(world) : broken?.tamper;
  const proxy = await startTamperingProxy(good.address, counting(counted, tamper ?? {}));
  return {
    address: proxy.address,
    control: good.control,
    seeded,
    count: () => ({ ...counted, leftAlive: livingIds(good).filter((id) => !before.has(id)).length }),
    async stop() {
      await proxy.close();
      await good.stop();
    },
  };
}

/**
 * Returns a mutant that changes responses as `tamper` does, and also counts all requests and the creations that the
 * server accepted.
 */
function counting(counted: { requests: number; created: number }, tamper: Tamper): Tamper {
  return {
    ...tamper,
    request(seen) {
      counted.requests += 1;
      return tamper.request?.(seen);
    },
    answer(seen, given) {
      if (isCreation(seen, given)) counted.created += 1;
      return tamper.answer?.(seen, given);
    },
  };
}

function isCreation({ method, url }: Seen, { status }: Given): boolean {
  return method === 'POST' && status < 300 && creates.test(url.split('?')[0] ?? '');
}

/** Returns the ids of living records from the database file, independent of the responses of the server. */
function livingIds({ dataFolder }: StartedBackend): string[] {
  const file = readdirSync(dataFolder).find((name) => name.endsWith('.db') || name.endsWith('.sqlite'));
  if (file === undefined) throw new Error(`no database in ${dataFolder}`);
  using database = new DatabaseSync(join(dataFolder, file), { readOnly: true });
  return living.flatMap((query) =>
    database
      .prepare(query)
      .all()
      .map((row) => String(row['id'])),
  );
}

/** Ids of existing records, by the name of the path parameter for the id. */
interface Seeded {
  /** Ids of the records that requests read. */
  readonly kept: Readonly<Record<string, string>>;
  /** Ids of the records that requests delete or purge. */
  readonly spare: Readonly<Record<string, string>>;
}

/**
 * A POST that creates the record for a path parameter: name of the parameter, path and body of the request, and the
 * member of the response with the id.
 */
type Seed = readonly [name: string, path: string, body: object, member: string];

const profile: Seed = ['profile_id', '/profiles', { name: 'seed' }, 'id'];

const workspace: Seed = ['workspace_id', '/workspaces', { name: 'seed' }, 'id'];

const slow = 'svc-test: slow 600';

const seeds: Readonly<Record<Generation, readonly Seed[]>> = {
  v2: [profile, ['session_id', '/sessions', {}, 'id'], ['task_id', '/tasks', { task: slow }, 'id']],
  v3: [profile, workspace, ['session_id', '/sessions', { task: slow, keepAlive: true }, 'id']],
  v4: [
    profile,
    workspace,
    ['run_id', '/runs', { task: slow }, 'id'],
    ['session_id', '/runs', { task: slow }, 'sessionId'],
    ['message_id', '/sessions/{session_id}/queue', { text: 'And now?' }, 'id'],
    ['id', '/browsers', {}, 'id'],
  ],
};

/** Creates the records of `seeds` for a generation twice: once for reading, once for deletion. */
async function seedStage(address: string, generation: Generation): Promise<Seeded> {
  const base = `${address}/api/${generation}`;
  return { kept: await seedOnce(base, seeds[generation]), spare: await seedOnce(base, seeds[generation]) };
}

async function seedOnce(base: string, rows: readonly Seed[]): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [name, path, body, member] of rows) {
    const response = await fetch(base + path.replace('{session_id}', ids['session_id'] ?? ''), {
      method: 'POST',
      headers: { 'x-service-api-key': testKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const record: unknown = await response.json();
    const id = isJsonObject(record) ? record[member] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number')
      throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(record)}`);
    ids[name] = String(id);
  }
  return ids;
}
