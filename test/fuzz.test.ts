import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '#accounts/workspaces/file-names.ts';
import { operations } from '#generated/operations.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/**
 * Number of requests, so that an answer of every kind occurs. `npm run long -- fuzz` accepts another number. fast-check
 * prints the seed of a failure; with this seed as SVC_SEED the run is repeated.
 */
const runs = 10_000;
const seed = Number(process.env['SVC_SEED'] ?? 20_261_120);

type OperationId = (typeof operations)[number]['id'];

interface Sent {
  /** The operation of the document from which the request was derived. The request may have another method. */
  readonly operation: OperationId;
  readonly version: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload: string | undefined;
}

const idArbitrary = fc.oneof(
  fc.uuid(),
  { weight: 6, arbitrary: fc.constant('known') },
  fc.string().map((text) => encodeURIComponent(text) || '-'),
  fc.constantFrom('%', '%zz', '..', '0', 'null', 'a'.repeat(300)),
);

const names = [
  'task',
  'model',
  'modelParams',
  'llm',
  'thinking',
  'action',
  'browserSettings',
  'timeout',
  'metadata',
  'sessionId',
  'thinkingLevel',
  'useOwnKey',
  'keepAlive',
  'codeMode',
  'outputSchema',
  'enableRecording',
  'maxCostUsd',
  'proxyCountryCode',
  'inbox',
  'browserScreenWidth',
  'browserScreenHeight',
  'profileId',
  'workspaceId',
  'name',
  'files',
  'allowOverrides',
  'userId',
  'startUrl',
  'maxSteps',
  'structuredOutput',
  'allowedDomains',
  'judge',
  'secrets',
  'sensitiveData',
  'secretBindings',
  'cacheScript',
  'strategy',
  'attachedFileIds',
  'fileName',
  'contentType',
  'sizeBytes',
];
const values = fc.oneof(
  fc.constantFrom<unknown>(
    'svc-mini',
    'gpt-5.6-luna',
    'claude-opus-5',
    'o3',
    'stop',
    { reasoning: { effort: 'low' } },
    { reasoning: { effort: 'loud' } },
    { thinking: { type: 'adaptive' }, output_config: {} },
    { screenWidth: 800, screenHeight: 600, proxyCountryCode: null },
    { a: 'b' },
    [{ alias: 'a', source: { type: 'inline', value: 'hunter2' }, allowedDomains: ['a.example'] }],
    300,
    'gpt-5-mini',
    'minimax-m3',
    'claude-opus-4.7',
    'low',
    'disabled',
    'us',
    'US',
    true,
    null,
    '0.5',
    '-1',
    '.',
    0,
    -1,
    1e308,
    '',
    'session',
    'task',
    'svc-test: succeed',
    {},
    { type: 'object' },
    { $ref: '#/nowhere' },
    { type: 7 },
    1024,
  ),
  fc.uuid(),
  fc.jsonValue({ maxDepth: 3 }),
);
const followUpArbitrary = fc.record(
  {
    sessionId: fc.constant('known'),
    task: fc.string(),
    thinkingLevel: fc.constantFrom('low', 'high', null, 'ultra'),
    keepAlive: fc.boolean(),
  },
  { requiredKeys: ['sessionId', 'task'] },
);
const bodyArbitrary = fc.oneof(
  { weight: 2, arbitrary: followUpArbitrary.map((body) => JSON.stringify(body)) },
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.string()), values, { maxKeys: 6 })
      .map((body) => JSON.stringify(body)),
  },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constantFrom('{"task":', '\u0000', '[', '{"a":1}}', 'nul', '"\\ud800"') },
);

const files = fc.array(
  fc.record(
    {
      name: fc.constantFrom('a.txt', 'b.txt', '../a.txt', '..', 'é', ''),
      contentType: fc.constantFrom('text/plain', 'application/octet-stream', 'none'),
      size: fc.constantFrom(1, 2, 3, 52_428_801, 1e308, null),
    },
    { requiredKeys: ['name', 'size'] },
  ),
  { maxLength: 3 },
);

const profileArbitrary = fc.record(
  { name: fc.option(fc.string()), userId: fc.option(fc.string({ maxLength: 300 })) },
  { requiredKeys: [] },
);

/** A well-formed id that belongs to no file. */
const unknownFile = '00000000-0000-4000-8000-000000000000';

const uploadForm = fc.record({
  fileName: fc.constantFrom('a.txt', 'b.txt', 'é', '..', ''),
  contentType: fc.constantFrom('text/plain', 'text/plain', 'image/png', 'application/zip'),
  sizeBytes: fc.constantFrom(1, 2, 3, 10_485_760, 10_485_761, null),
});

/**
 * For each operation that should often succeed, a generator of bodies that it accepts. It leaves out members at random,
 * except those of `requiredKeys`.
 */
const wellFormed: Partial<Record<OperationId, fc.Arbitrary<object>>> = {
  createRun: fc.record(
    {
      task: fc.constantFrom('svc-test: succeed', 'svc-test: slow 1', 'svc-test: crash'),
      model: fc.constantFrom('gpt-5.6-luna', 'glm-5.2', 'claude-opus-5'),
      sessionId: fc.constantFrom('known', null),
      attachedFileIds: fc.constantFrom([], null, [unknownFile], [unknownFile], null, [], null, ['x']),
      workspaceId: fc.constantFrom(null, null, null, null, null, null, unknownFile, 'x'),
      modelParams: fc.constantFrom({}, null, { reasoning: { effort: 'low' } }, { thinking: { type: 'disabled' } }),
    },
    { requiredKeys: ['task'] },
  ),
  createTask: fc.record(
    {
      task: fc.constantFrom('svc-test: succeed', 'svc-test: fail', 'svc-test: slow 1'),
      llm: fc.constantFrom('o3', 'gpt-4.1', 'svc-2.0'),
      thinkingLevel: fc.constantFrom('low', 'disabled', null),
      thinking: fc.boolean(),
      sessionId: fc.constantFrom('known', null),
      startUrl: fc.constantFrom('https://a.example', 'data:text/html,x', 'file:///x', null, 'x'),
      maxSteps: fc.constantFrom(1, 2, 10_000, 10_001),
      structuredOutput: fc.constantFrom('{}', '{"type":"object"}', '{"type":7}', '[', null),
      metadata: fc.constantFrom({ a: 'b' }, null, { a: 1 }),
      allowedDomains: fc.constantFrom(['*.example'], [], null, ['*']),
      vision: fc.constantFrom(true, 'auto', 'x'),
      systemPromptExtension: fc.string(),
      judgeLlm: fc.constantFrom('o3', null, 'x'),
    },
    { requiredKeys: ['task'] },
  ),
  createBrowser: fc.record(
    {
      proxyCountryCode: fc.constantFrom('us', 'de', null, 'xx'),
      timeout: fc.constantFrom(1, 60, 240, 241),
      metadata: fc.constantFrom({ a: 'b' }, null, { a: 1 }),
      profileId: fc.constantFrom('knownProfile', null, 'x'),
    },
    { requiredKeys: [] },
  ),
  updateSession: fc.record({ action: fc.constantFrom('stop', 'pause'), title: fc.constantFrom('t', null, 1) }),
  createMessage: fc.record(
    {
      text: fc.constantFrom('svc-test: succeed', 'svc-test: slow 1', ''),
      interrupt: fc.boolean(),
      attachedFileIds: fc.constantFrom([], null, [unknownFile], ['x']),
    },
    { requiredKeys: ['text'] },
  ),
  createSessionUpload: uploadForm,
  createBrowserUpload: uploadForm,
  createProfile: profileArbitrary,
  updateProfile: profileArbitrary,
  updateTask: fc.record({ action: fc.constantFrom('stop', 'stop_task_and_session', 'pause') }),
  stopBrowser: fc.record({ action: fc.constantFrom('stop', 'restart') }),
  createWorkspace: fc.record({ name: fc.constantFrom('desk', null, 'x'.repeat(101), 7) }, { requiredKeys: [] }),
  updateWorkspace: fc.record({ name: fc.constantFrom('desk', null, 'x'.repeat(256)) }, { requiredKeys: [] }),
  uploadWorkspaceFiles: fc.oneof(
    fc.record({ files, allowOverrides: fc.boolean() }, { requiredKeys: ['files'] }),
    // Plain sizes, and one that no workspace has room for.
    fc.constantFrom(1, 1, 1e15).map((size) => ({ files: [{ name: 'a.txt', size }] })),
  ),
};

/**
 * Operations that rarely succeed with random ids, because two ids of the path must belong together, or because they
 * need a project with zero data retention. Other tests cover them.
 */
const rare = new Set([
  'v2 getOutputFile',
  'v3 deleteWorkspaceFile',
  'v4 deleteWorkspaceFile',
  'v4 getMessage',
  'v4 deleteMessage',
  'v2 purgeSession',
  'v4 purgeSession',
]);

/** For each operation that deletes a resource, the path parameter that contains the id of this resource. */
const removers: Partial<Record<OperationId, string>> = {
  deleteSession: 'session_id',
  deleteWorkspace: 'workspace_id',
  deleteProfile: 'profile_id',
};

/**
 * For each operation that creates a resource, the path parameter in which later requests send the id of this resource.
 */
const creators: Partial<Record<OperationId, string>> = {
  createSession: 'session_id',
  createTask: 'task_id',
  createRun: 'run_id',
  createBrowser: 'id',
  createMessage: 'message_id',
  createWorkspace: 'workspace_id',
  createProfile: 'profile_id',
};

/**
 * Returns the name of the list of known ids from which a path parameter takes its values. V2, V3 and V4 use the same
 * profiles and workspaces; all other ids belong to one generation.
 */
function getPoolName(version: string, name: string): string {
  return name === 'workspace_id' || name === 'profile_id' ? name : `${version} ${name}`;
}

function bodyFor(operation: OperationId): fc.Arbitrary<string | undefined> {
  const formed = wellFormed[operation];
  const any = fc.option(bodyArbitrary, { nil: undefined, freq: 6 });
  if (formed === undefined) return any;
  return fc.oneof({ weight: 2, arbitrary: formed.map((body) => JSON.stringify(body)) }, { weight: 3, arbitrary: any });
}

const queryArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.webQueryParameters().map((text) => `?${text}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '?page=0',
      '?page=2&page_size=100',
      '?page_size=101',
      '?page=x',
      '?page=1&page=2',
      '?pageNumber=2&pageSize=1',
      '?pageSize=0',
      '?filterBy=active',
      '?filterBy=finished',
      '?filterBy=gone',
      '?cursor=x',
      '?cursor=MTAuZTMw&limit=1',
      '?limit=1',
      '?limit=1001',
      '?query=a',
      '?query=%25',
      '?after=1',
      '?after=-1',
      '?after=2026-01-01T00:00:00Z&before=2026-01-02T00:00:00%2B02:00',
      '?sessionId=known',
      '?metadata=a&metadata=b=c',
    ),
  },
);

/** For some operations, a generator of queries that the operation understands, so that it often succeeds. */
const wellQueried: Partial<Record<OperationId, fc.Arbitrary<string>>> = {
  listWorkspaceFiles: fc.constantFrom(
    '?includeUrls=true',
    '?limit=1',
    '?prefix=uploads/',
    '?shallow=true',
    '?contentDisposition=inline',
    `?cursor=${encodeCursor('uploads/a.txt')}`,
    '?cursor=ZmlsZTo',
  ),
  deleteWorkspaceFile: fc.constantFrom(
    '?path=a.txt',
    '?path=uploads/a.txt',
    '?path=uploads/b.txt',
    '?path=b.txt',
    '?path=../a',
    '?path=',
  ),
  uploadWorkspaceFiles: fc.constantFrom('', '?prefix=a/b', '?prefix=..', '?prefix=%00'),
};

function queryFor(operation: OperationId): fc.Arbitrary<string> {
  const formed = wellQueried[operation];
  return formed === undefined ? queryArbitrary : fc.oneof({ weight: 2, arbitrary: formed }, queryArbitrary);
}

// Creations are three times as frequent, so that deletions leave resources for the other operations.
const creations = operations.filter(({ id }) => id in creators);

const requestArbitrary: fc.Arbitrary<Sent> = fc
  .constantFrom(...operations, ...creations, ...creations)
  .chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      method: fc.oneof(
        { weight: 14, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS') },
      ),
      id: idArbitrary,
      query: queryFor(operation.id),
      key: fc.constantFrom(testKey, testKey, testKey, testKey, testKey, testKey, 'svc_wrong', ''),
      type: fc.constantFrom(
        ...Array.from({ length: 6 }, () => 'application/json'),
        'application/json; charset=utf-8',
        'text/plain',
        'application/xml',
        '',
      ),
      body: bodyFor(operation.id),
    }),
  )
  .map(({ operation, method, id, query, key, type, body }) => ({
    operation: operation.id,
    version: operation.version,
    method: method ?? operation.method.toUpperCase(),
    url: `/api/${operation.version}${operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => (id === 'known' ? `@${name}@` : id))}${query}`,
    headers: {
      ...(key === '' ? {} : { 'x-service-api-key': key }),
      ...(type === '' || body === undefined ? {} : { 'content-type': type }),
    },
    payload: body,
  }));

describe('the reference under requests of every kind', () => {
  let started: StartedBackend;
  // Ids of existing resources by generation and path parameter. A generated "known" is replaced by the latest.
  const known = new Map<string, unknown[]>();
  const latest = (version: string, name: string): string =>
    String(known.get(getPoolName(version, name))?.at(-1) ?? 'known');
  const learn = (version: string, name: string, id: unknown): void => {
    if (id === undefined) return;
    const pool = getPoolName(version, name);
    const others = known.get(pool) ?? [];
    // Requests use the same workspace until it is deleted, so that files accumulate in it.
    known.set(pool, name === 'workspace_id' ? [id, ...others].slice(0, 100) : [...others, id].slice(-100));
  };

  beforeAll(async () => {
    started = await startBackend({ activeSessionsMax: 5000 });
  });
  afterAll(async () => {
    await started.stop();
  });

  /** Uploads a byte to each upload URL, so that there are files to list and to delete. */
  const upload = async (uploads: readonly { uploadUrl: string }[]): Promise<void> => {
    for (const { uploadUrl } of uploads) {
      const { pathname, search } = new URL(uploadUrl);
      const headers = { 'content-type': 'application/octet-stream' };
      const sent = await started.backend.app.inject({ method: 'PUT', url: pathname + search, headers, payload: 'a' });
      expect([200, 409, 413, 422]).toContain(sent.statusCode);
    }
  };

  const send = async ({ version, operation, method, url, headers, payload: text }: Sent) => {
    // Only V4 creates browsers.
    const latestId = (name: string) =>
      operation === 'createBrowserUpload' ? latest('v4', 'id') : latest(version, name);
    const session = latest(version, 'session_id');
    // Without a session, a follow-up creates one.
    const payload = text?.replaceAll('"known"', session === 'known' ? 'null' : JSON.stringify(session));
    return started.backend.app.inject({
      method: method as 'GET',
      url: url.replace('=known', `=${session}`).replaceAll(/@(\w+)@/g, (_whole, name: string) => latestId(name)),
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
  };

  /**
   * Updates the known ids after a response: adds those of created resources, and removes those of deleted resources.
   * Uploads a byte to each new upload URL.
   */
  const remember = async (request: Sent, status: number, response: Awaited<ReturnType<typeof send>>): Promise<void> => {
    const { version, operation, method } = request;
    const made = creators[operation];
    if (status < 300 && method === 'POST' && made !== undefined) {
      learn(version, made, response.json().id);
      learn(version, 'session_id', response.json().sessionId);
    }
    // After a deletion, its id is forgotten, so that later requests use an earlier resource.
    if (status === 204) known.get(getPoolName(version, removers[operation] ?? ''))?.pop();
    if (status === 200 && operation === 'uploadWorkspaceFiles' && method === 'POST')
      await upload(response.json().files);
  };

  it(`answers ${runs} of them with a documented refusal or success, never 500`, async () => {
    const seen = new Map<number, number>();
    const succeeded = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requestArbitrary, async (request) => {
        const response = await send(request);
        const { statusCode: status } = response;
        seen.set(status, (seen.get(status) ?? 0) + 1);
        expect([200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 422, 429]).toContain(status);
        if (status === 422 && request.method !== 'HEAD') expectDetails(response.json());
        if (status < 300) succeeded.add(`${request.version} ${request.operation}`);
        await remember(request, status, response);
      }),
      { numRuns: runs, seed, endOnFailure: true },
    );
    // Without an answer of a kind, the test would prove nothing about this kind.
    for (const status of [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 422])
      expect(seen.get(status) ?? 0, `answers ${status}`).toBeGreaterThan(0);
    const wanted = operations.map(({ version, id }) => `${version} ${id}`).filter((id) => !rare.has(id));
    expect(wanted.filter((id) => !succeeded.has(id))).toEqual([]);
  });

  it('answers an oversize body with 413', async () => {
    const payload = JSON.stringify({ task: 'x'.repeat(1_100_000) });
    const headers = { 'x-service-api-key': testKey, 'content-type': 'application/json' };
    const response = await started.backend.app.inject({ method: 'POST', url: '/api/v3/sessions', headers, payload });
    expect(response.statusCode).toBe(413);
  });
});

function expectDetails(body: unknown): void {
  expect(body).toEqual({
    detail: expect.arrayContaining([{ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) }]),
  });
}
