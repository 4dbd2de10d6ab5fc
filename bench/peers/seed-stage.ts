import { isJsonObject } from '#lib/json.ts';
import { testKey } from '../../test/support/start-backend.ts';
import type { Generation } from './sample.ts';

/** Ids of things that exist, by the name of the path parameter that takes them. */
export interface Seeded {
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
export async function seedStage(address: string, generation: Generation): Promise<Seeded> {
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
