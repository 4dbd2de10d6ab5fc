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

/** A server with something on it, behind a proxy that breaks it and counts. */
export interface Stage {
  readonly address: string;
  /** Address of the clock, for who can use one. */
  readonly control: string;
  readonly seeded: Seeded;
  /** What came through the proxy, and what lives on the server that was not there before. */
  count(): Counts;
  stop(): Promise<void>;
}

/** What one run did to the server, by the proxy and by the server's storage. */
export interface Counts {
  readonly requests: number;
  /** Creations that the good server accepted. */
  readonly created: number;
  /** Sessions and browsers that run, and profiles and workspaces that are kept. */
  readonly leftAlive: number;
}

/** What creates something, as the end of its path. */
const creates = /\/(sessions|tasks|runs|browsers|workspaces|profiles)$/;

/** What lives: one query for each kind of thing. */
const living = [
  // An idle session that outlives its browser holds nothing.
  "SELECT id FROM sessions WHERE deleted_at IS NULL AND (status IN ('created', 'running') OR (status = 'idle' AND resumable = 0))",
  "SELECT id FROM browsers WHERE status = 'active'",
  'SELECT id FROM profiles',
  // One that belongs to a session goes with it, and no operation shows it.
  'SELECT id FROM workspaces WHERE archived_at IS NULL AND owner_id IS NULL',
] as const;

/** Enough for tools that end nothing: what is measured is not whether they bear a refusal. */
const activeSessionsMax = 100_000;

/** Starts a reference with simulated browsers and things to ask for, broken as a mutant wants it; undefined for a good one. */
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

/** Does what a mutant does, and counts before it does. */
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

/** Read from the file itself, whatever the server says. */
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

/** Ids of things that exist, by the name of the path parameter that takes them. */
interface Seeded {
  /** To be read. */
  readonly kept: Readonly<Record<string, string>>;
  /** To be deleted. */
  readonly spare: Readonly<Record<string, string>>;
}

/** What is created for a path parameter: path, body, and the member of the answer that is the id. */
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

/** Puts two of everything on a server that a path of the generation can name. */
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
