import type { Pool } from 'undici';
import type { JsonObject } from '#conformance/core/json.ts';
import { type OperationKey, operationRow } from '#conformance/core/operations.ts';
import { goodKey } from './call-headers.ts';
import { type CallRequest, placeholder, sendCall } from './fuzzed-request.ts';
import type { World } from './world.ts';

const newest = 31;
const upload = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 3 };
const files = { files: [{ name: 'a.txt', contentType: 'text/plain', size: 3 }], allowOverrides: true };

/**
 * Operations that create records, with their request bodies. An operation that needs another record comes after the
 * operation that creates it.
 */
const things: readonly (readonly [OperationKey, JsonObject])[] = [
  ['v4.createProfile', { name: 'profile' }],
  ['v3.createWorkspace', { name: 'workspace' }],
  ['v3.uploadWorkspaceFiles', files],
  ['v2.createSession', {}],
  ['v2.createTask', { task: 'svc-test: succeed' }],
  ['v2.createSessionUpload', upload],
  ['v3.createSession', { keepAlive: true }],
  ['v3.createSession', { task: 'svc-test: slow 3000' }],
  ['v4.createRun', { task: 'svc-test: slow 3000', model: 'gpt-5.6-luna' }],
  ['v4.createMessage', { text: 'svc-test: succeed' }],
  ['v4.createRun', { task: 'svc-test: succeed', model: 'gpt-5.6-luna' }],
  ['v4.createBrowser', {}],
  ['v2.createBrowserUpload', upload],
  ['v2.createPublicShare', {}],
];

/** Creates at least one record of each kind and uploads a file, so that requests find existing records. */
export async function furnish(pool: Pool, world: World): Promise<void> {
  for (const [key, body] of things) {
    const { method, path, generation } = operationRow(key);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
      placeholder(getKind(generation, name, path), newest),
    );
    const call: CallRequest = {
      kind: 'call',
      operation: key,
      method,
      path: `/api/${generation}${filled}`,
      headers: [
        ['x-service-api-key', goodKey],
        ['content-type', 'application/json'],
      ],
      body: JSON.stringify(body),
      hasKey: true,
    };
    const answer = await sendCall(pool, world.resolve(call));
    if (answer.json !== undefined && answer.status < 300) world.learn(key, answer.json);
  }
  const put: CallRequest = {
    kind: 'call',
    operation: null,
    method: 'PUT',
    path: placeholder('upload', newest),
    headers: [['content-type', 'text/plain']],
    body: 'abc',
    hasKey: true,
  };
  await sendCall(pool, world.resolve(put));
}

function getKind(generation: string, name: string, path: string): string {
  if (path.startsWith('/files/browsers')) return 'v4.id';
  return name === 'workspace_id' ? name : `${generation}.${name}`;
}
