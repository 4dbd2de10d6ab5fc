import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { blobNames, desk, makeWorkspace, put } from './support/workspace-client.ts';

const unknownId = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';

let started: StartedBackend;
let v3: ApiClient;
let v4: ApiClient;

beforeEach(async () => {
  started = await startBackend();
  v3 = createApiClient(started.address, testKey, 'v3');
  v4 = createApiClient(started.address, testKey, 'v4');
});

afterEach(() => started.stop());

describe('a workspace', () => {
  it('V3: is made, renamed, listed and deleted', async () => {
    const { status, body: made } = await v3.call('POST', '/workspaces', { name: 'Invoices' });
    expect([status, made['name'], Object.keys(made)]).toEqual([
      201,
      'Invoices',
      ['id', 'name', 'createdAt', 'updatedAt'],
    ]);
    const path = `/workspaces/${String(made['id'])}`;
    started.clock.advance(1000);
    const { body: renamed } = await v3.call('PATCH', path, { name: 'Receipts' });
    expect(renamed).toMatchObject({ name: 'Receipts', createdAt: made['createdAt'] });
    expect(renamed['updatedAt']).not.toBe(made['updatedAt']);
    expect((await v3.call('PATCH', path, {})).body).toEqual(renamed);
    expect((await v3.call('PATCH', path, { name: null })).body['name']).toBeNull();
    expect((await v3.call('GET', path)).body).toMatchObject({ id: made['id'], name: null });
    expect((await v3.call('DELETE', path)).status).toBe(204);
    expect(await v3.call('GET', path)).toEqual({ status: 404, body: { detail: 'Workspace not found' } });
    expect((await v3.call('DELETE', path)).status).toBe(404);
    expect((await v3.call('GET', '/workspaces')).body).toMatchObject({ items: [], totalItems: 0 });
  });

  it('V4: is made with 200, and a deleted one is archived', async () => {
    const { status, body: made } = await v4.call('POST', '/workspaces');
    expect([status, made['name'], made['archived']]).toEqual([200, null, false]);
    const path = `/workspaces/${String(made['id'])}`;
    expect((await v4.call('PATCH', path, { name: 'x' })).body).toMatchObject({ name: 'x', archived: false });
    expect((await v4.call('DELETE', path)).status).toBe(204);
    expect((await v4.call('DELETE', path)).status).toBe(204);
    expect((await v4.call('DELETE', `/workspaces/${unknownId}`)).status).toBe(204);
    expect((await v4.call('GET', path)).body).toMatchObject({ id: made['id'], archived: true });
    for (const [method, rest, body] of [
      ['PATCH', '', { name: 'y' }],
      ['GET', '/size', undefined],
      ['GET', '/files', undefined],
      ['DELETE', '/files?path=uploads/a', undefined],
      ['POST', '/files/upload', { files: [{ name: 'a', size: 1 }] }],
    ] as const) {
      expect(await v4.call(method, `${path}${rest}`, body)).toEqual({
        status: 404,
        body: { detail: 'Workspace not found' },
      });
    }
  });

  it('is one for V3 and V4', async () => {
    const id = await makeWorkspace(v4, 'shared');
    expect((await v3.call('GET', `/workspaces/${id}`)).body['name']).toBe('shared');
    await desk(v3, id).store('a.txt', 'abc', '?prefix=notes');
    expect(await desk(v4, id).paths()).toEqual(['notes/a.txt']);
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body).toEqual({ usedBytes: 3, maxBytes: 1_073_741_824 });
  });

  it.each([
    { name: 'V3', api: () => v3, longest: 100 },
    { name: 'V4', api: () => v4, longest: 255 },
  ])('$name: takes a name of $longest characters and no longer one', async ({ api, longest }) => {
    expect((await api().call('POST', '/workspaces', { name: 'x'.repeat(longest) })).status).toBeLessThan(300);
    expect((await api().call('POST', '/workspaces', { name: 'x'.repeat(longest + 1) })).status).toBe(422);
    expect((await api().call('PATCH', `/workspaces/${unknownId}`)).status).toBe(422);
  });

  it('lists pages, newest first', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push(await makeWorkspace(v3, name));
      started.clock.advance(10);
    }
    const { body } = await v3.call('GET', '/workspaces?pageSize=2&pageNumber=1');
    expect(body).toMatchObject({ totalItems: 3, pageNumber: 1, pageSize: 2 });
    const second = (await v3.call('GET', '/workspaces?pageSize=2&pageNumber=2')).body;
    const seen = [body, second].flatMap((page) => (page['items'] as JsonObject[]).map((item) => item['id']));
    expect(seen).toEqual(ids.toReversed());
  });
});

it('workspaces and files of one project do not exist for another', async () => {
  const id = await makeWorkspace(v4);
  await desk(v4, id).store('a.txt', 'abc');
  const other = {
    v3: createApiClient(started.address, otherKey, 'v3'),
    v4: createApiClient(started.address, otherKey, 'v4'),
  };
  const calls = [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['GET', '/size', undefined],
    ['GET', '/files', undefined],
    ['DELETE', '/files?path=uploads/a.txt', undefined],
    ['POST', '/files/upload', { files: [{ name: 'b', size: 1 }] }],
  ] as const;
  for (const api of [other.v3, other.v4]) {
    for (const [method, rest, body] of calls) {
      const answer = await api.call(method, `/workspaces/${id}${rest}`, body);
      expect([method, rest, answer]).toEqual([method, rest, { status: 404, body: { detail: 'Workspace not found' } }]);
    }
  }
  expect((await other.v3.call('DELETE', `/workspaces/${id}`)).status).toBe(404);
  expect((await other.v4.call('DELETE', `/workspaces/${id}`)).status).toBe(204);
  expect((await other.v3.call('GET', '/workspaces')).body['items']).toEqual([]);
  expect((await v4.call('GET', `/workspaces/${id}`)).body).toMatchObject({ name: 'desk', archived: false });
  expect(await desk(v4, id).paths()).toEqual(['uploads/a.txt']);
});

describe('the workspace of a session', () => {
  it('is a living one of the project, or nothing is made', async () => {
    const other = createApiClient(started.address, otherKey, 'v3');
    const foreign = await makeWorkspace(other);
    const deleted = await makeWorkspace(v3);
    await v3.call('DELETE', `/workspaces/${deleted}`);
    for (const workspaceId of [unknownId, foreign, deleted]) {
      const answer = await v3.call('POST', '/sessions', { task: 'a', workspaceId });
      expect(answer).toEqual({ status: 404, body: { detail: 'Workspace not found' } });
    }
    expect((await v3.call('GET', '/sessions')).body['total']).toBe(0);
    const own = await makeWorkspace(v3);
    const { body } = await v3.call('POST', '/sessions', { workspaceId: own, keepAlive: true });
    expect(body['workspaceId']).toBe(own);
    await v3.until(String(body['id']), (session) => session['status'] === 'idle');
    const followUp = { sessionId: body['id'], task: 'svc-test: succeed', workspaceId: foreign };
    expect((await v3.call('POST', '/sessions', followUp)).status).toBe(404);
    expect((await v3.call('GET', `/sessions/${String(body['id'])}`)).body['status']).toBe('idle');
  });
});

describe('deleting', () => {
  it('a file removes its bytes, and its address opens nothing', async () => {
    const id = await makeWorkspace(v4);
    const path = await desk(v4, id).store('a.txt', 'abc');
    const [file] = await desk(v4, id).files('?includeUrls=true');
    expect((await v4.call('DELETE', `/workspaces/${id}/files?path=${encodeURIComponent(path)}`)).status).toBe(204);
    expect(await v4.call('DELETE', `/workspaces/${id}/files?path=${encodeURIComponent(path)}`)).toEqual({
      status: 404,
      body: { detail: 'File not found' },
    });
    expect((await fetch(String(file?.['url']))).status).toBe(404);
    expect(blobNames(started)).toEqual([]);
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(0);
  });

  it('a workspace removes the bytes of all its files and closes its uploads', async () => {
    const id = await makeWorkspace(v3);
    for (let index = 0; index < 20; index += 1) await desk(v3, id).store(`${index}.txt`, 'abc');
    const open = await desk(v3, id).requestUploadUrl({ name: 'late.txt', size: 3 });
    expect((await v3.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(60);
    expect(blobNames(started)).toHaveLength(20);
    expect((await v3.call('DELETE', `/workspaces/${id}`)).status).toBe(204);
    expect(blobNames(started)).toEqual([]);
    expect((await put(open, Buffer.from('abc'))).status).toBe(404);
    expect(blobNames(started)).toEqual([]);
  });

  it.each(['../a', '/uploads/a', 'uploads//a', 'uploads/..', 'a\\b', '.'])('V4: the path %s is 400', async (path) => {
    const id = await makeWorkspace(v4);
    const answer = await v4.call('DELETE', `/workspaces/${id}/files?path=${encodeURIComponent(path)}`);
    expect([answer.status, String(answer.body['detail'])]).toEqual([
      400,
      expect.stringContaining('uploads/report.pdf'),
    ]);
    expect((await v3.call('DELETE', `/workspaces/${id}/files?path=${encodeURIComponent(path)}`)).status).toBe(404);
    expect((await v3.call('DELETE', `/workspaces/${id}/files`)).status).toBe(422);
  });
});

describe('listing files', () => {
  const names = ['b/1', 'b/2', 'b/c/3', 'a', 'é', 'z', 'b-', 'b/c/4', 'd/5'];
  const sorted = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  let id: string;

  beforeEach(async () => {
    id = await makeWorkspace(v3);
    for (const name of names) {
      const slash = name.lastIndexOf('/');
      await desk(v3, id).store(name.slice(slash + 1), 'x', `?prefix=${name.slice(0, slash + 1)}`);
    }
  });

  async function pages(query: string): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    let cursor = '';
    do {
      const { body } = await v3.call('GET', `/workspaces/${id}/files?${query}${cursor}`);
      found.push(body);
      expect(body['hasMore']).toBe(body['nextCursor'] !== null);
      cursor = `&cursor=${String(body['nextCursor'])}`;
    } while (cursor !== '&cursor=null');
    return found;
  }
  const entries = (page: JsonObject): unknown[] => [
    ...(page['files'] as JsonObject[]).map((file) => file['path']),
    ...(page['folders'] as string[]),
  ];

  it.each([1, 2, 4, 9, 100])('pages of %i hold every file once, in order', async (limit) => {
    const found = await pages(`limit=${limit}`);
    expect(found.flatMap(entries)).toEqual(sorted);
    expect(found).toHaveLength(Math.ceil(names.length / limit));
  });

  it('keeps its place when files come and go', async () => {
    const first = (await v3.call('GET', `/workspaces/${id}/files?limit=3`)).body;
    await v3.call('DELETE', `/workspaces/${id}/files?path=${String(sorted[2])}`);
    await desk(v3, id).store('0', 'x');
    const next = await v3.call('GET', `/workspaces/${id}/files?cursor=${String(first['nextCursor'])}`);
    expect(entries(next.body)).toEqual(sorted.slice(3));
  });

  it.each([
    { query: 'prefix=b', want: ['b-', 'b/1', 'b/2', 'b/c/3', 'b/c/4'] },
    { query: 'prefix=b/c', want: ['b/c/3', 'b/c/4'] },
    { query: 'prefix=b/c/3', want: ['b/c/3'] },
    { query: 'prefix=nothing', want: [] },
    { query: 'prefix=%25', want: [] },
    { query: 'shallow=true', want: ['a', 'b-', 'z', 'é', 'b/', 'd/'] },
    { query: 'shallow=true&prefix=b/', want: ['b/1', 'b/2', 'b/c/'] },
    { query: 'shallow=true&prefix=b', want: ['b-', 'b/'] },
  ])('$query', async ({ query, want }) => {
    expect(entries((await v3.call('GET', `/workspaces/${id}/files?${query}`)).body)).toEqual(want);
    const small = (await pages(`limit=1&${query}`)).flatMap(entries);
    expect(new Set(small)).toEqual(new Set(want));
    expect(small).toHaveLength(want.length);
  });

  it.each(['x', 'MTIz', 'ZmlsZTo', 'e30'])('a foreign cursor is 400: %s', async (cursor) => {
    for (const api of [v3, v4])
      expect((await api.call('GET', `/workspaces/${id}/files?cursor=${cursor}`)).status).toBe(400);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'includeUrls=maybe', 'cursor='])('%s is 422', async (query) => {
    for (const api of [v3, v4]) expect((await api.call('GET', `/workspaces/${id}/files?${query}`)).status).toBe(422);
  });

  it('V4 accepts attachment as the only disposition', async () => {
    expect((await v4.call('GET', `/workspaces/${id}/files?contentDisposition=attachment`)).status).toBe(200);
    expect((await v4.call('GET', `/workspaces/${id}/files?contentDisposition=inline`)).status).toBe(422);
  });
});
