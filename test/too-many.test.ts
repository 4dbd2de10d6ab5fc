import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { operations } from '#generated/operations.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type BackendChanges, type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { blobNames, desk, makeWorkspace } from './support/workspace-client.ts';

let started: StartedBackend;
afterEach(() => started.stop());

async function start(changes: BackendChanges): Promise<ApiClient> {
  started = await startBackend(changes);
  return createApiClient(started.address, undefined, 'v4');
}

/** Returns every row of every table, and the names of all blobs. */
async function everything(): Promise<Record<string, unknown>> {
  const { db } = started.backend;
  // The table of commit marks is no state of the service.
  const tables = (await db.introspection.getTables()).filter(({ name }) => name !== 'svc_commit_marks');
  const contents = tables.map(async ({ name }): Promise<[string, unknown]> => {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    return [name, rows];
  });
  return { ...Object.fromEntries(await Promise.all(contents)), blobs: blobNames(started) };
}

/** Posts a body; resolves to the status, the header Retry-After and the detail of the answer. */
async function refusal(path: string, body: unknown): Promise<typeof tooMany> {
  const answer = await fetch(`${started.address}/api${path}`, {
    method: 'POST',
    headers: { 'X-Service-API-Key': testKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { detail }: { readonly detail: unknown } = JSON.parse(await answer.text());
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), detail };
}

const tooMany = { status: 429, retryAfter: '2' as string | null, detail: expect.any(String) as unknown };

const named = ({ version, id }: (typeof operations)[number]): string => `${version} ${id}`;

/** Returns true if the documents list, for an operation, the response to a project that exceeds a limit. */
function isLimited({ version, path, method }: (typeof operations)[number]): boolean {
  const document: { readonly paths: Documented } = JSON.parse(
    readFileSync(`generated/openapi/${version}.json`, 'utf8'),
  );
  return document.paths[path]?.[method]?.responses['429']?.$ref === '#/components/responses/TooManyRequests';
}

type Documented = Record<string, Record<string, { readonly responses: Record<string, { readonly $ref?: string }> }>>;

it('a project that has all its sessions is refused with 429 before anything is written', async () => {
  const v4 = await start({ activeSessionsMax: 1 });
  const profileId = String((await v4.call('POST', '/profiles', {})).body['id']);
  const workspaceId = await makeWorkspace(v4);
  await desk(v4, workspaceId).store('kept.txt', 'kept');
  const [upload] = await desk(v4, workspaceId).reserve({ files: [{ name: 'a.txt', size: 1 }] });
  const attachedFileIds = [String(upload?.['id'])];
  await v4.call('POST', '/browsers', {});
  const secrets = { password: 'correct horse' };
  const bodies: Record<string, JsonObject> = {
    'v2 createSession': { profileId, startUrl: 'https://shop.example' },
    'v2 createTask': { task: 'x', sessionSettings: { profileId }, secrets, metadata: { job: 'x' } },
    'v3 createSession': { task: 'x', profileId, workspaceId, sensitiveData: secrets },
    'v4 createRun': { task: 'x', workspaceId, attachedFileIds, browserSettings: { profileId }, inbox: true },
    'v4 createBrowser': { profileId, metadata: { job: 'x' } },
  };
  const limited = operations.filter((operation) => Object.hasOwn(bodies, named(operation)));
  expect(operations.filter(isLimited).map(named)).toEqual(Object.keys(bodies));
  const before = await everything();
  for (const operation of limited) {
    const { version, path } = operation;
    expect([named(operation), await refusal(`/${version}${path}`, bodies[named(operation)])]).toEqual([
      named(operation),
      tooMany,
    ]);
  }
  expect(await everything()).toEqual(before);
});

it('a message for a full queue is refused with 429 and neither interrupts nor attaches', async () => {
  const agent = createScriptedAgent();
  const v4 = await start({ agent });
  const { body } = await v4.call('POST', '/runs', { task: 'one' });
  const [queue, workspaceId] = [`/sessions/${String(body['sessionId'])}/queue`, String(body['workspaceId'])];
  await waitForTask(agent, 'one');
  const [upload] = await desk(v4, workspaceId).reserve({ files: [{ name: 'a.txt', size: 1 }] });
  for (let index = 0; index < 10; index += 1) await v4.call('POST', queue, { text: `message ${index}` });
  const before = await everything();
  const message = { text: 'late', interrupt: true, attachedFileIds: [String(upload?.['id'])] };
  expect(await refusal(`/v4${queue}`, message)).toEqual(tooMany);
  expect(await everything()).toEqual(before);
  expect([...agent.running.keys()]).toEqual(['one']);
});
