import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openS3Blobs } from '#store/blobs/s3-blobs.ts';
import { listUnreferencedKeys, markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import type { JsonObject } from '#lib/json.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { s3Environment, startS3 } from './support/start-s3.ts';
import { blobNames, desk, makeWorkspace, put } from './support/workspace-client.ts';

const minuteMs = 60_000;
const abc = Buffer.from('abc');

let started: StartedBackend;
let v3: ApiClient;
let v4: ApiClient;
let id: string;

async function start(changes: Parameters<typeof startBackend>[0] = {}): Promise<void> {
  started = await startBackend(changes);
  v3 = createApiClient(started.address, testKey, 'v3');
  v4 = createApiClient(started.address, testKey, 'v4');
}

beforeEach(async () => {
  await start();
  id = await makeWorkspace(v4);
});

afterEach(() => started.stop());

/**
 * Expects that the service has kept nothing of an upload: no file, no bytes, no blob, and no key on the list of
 * unreferenced blobs.
 */
async function expectNothingKept(): Promise<void> {
  expect(await desk(v4, id).paths()).toEqual([]);
  expect((await v4.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(0);
  expect(listBlobs()).toEqual([]);
  expect(await listUnreferencedKeys(started.backend.db)).toEqual([]);
}

/** Sends the first half of a million bytes; resolves when the service has begun to write them. */
async function sendHalf(address: string): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': '1000000' };
  const sender = request(address, { method: 'PUT', headers });
  sender.on('error', () => undefined);
  sender.write(Buffer.alloc(500_000));
  await vi.waitFor(() => expect(listBlobs()).toHaveLength(1), { timeout: 60_000 });
  return sender;
}

/** Sends the second half; resolves to the status of the answer. */
async function finish(sender: ClientRequest): Promise<number | undefined> {
  const answered = once(sender, 'response');
  sender.end(Buffer.alloc(500_000));
  const [response] = (await answered) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** Returns the names of the blobs; an empty list before the first upload, which creates the folder. */
function listBlobs(): string[] {
  try {
    return blobNames(started);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

describe('an upload address', () => {
  it('takes its bytes, whatever their number, and the file gives them back', async () => {
    const bytes = randomBytes(3_000_000);
    const address = await desk(v4, id).requestUploadUrl({
      name: 'p.bin',
      size: bytes.length,
      contentType: 'image/png',
    });
    expect(address).toMatch(new RegExp(`^${started.address}/uploads/[0-9a-f-]{36}\\?`));
    expect(address).not.toContain(testKey);
    const sent = await put(address, bytes, 'image/png');
    expect(sent).toMatchObject({ status: 200, body: { path: 'uploads/p.bin', size: bytes.length } });
    const [file] = await desk(v4, id).files('?includeUrls=true');
    expect(file).toMatchObject({ path: 'uploads/p.bin', size: bytes.length });
    const download = await fetch(String(file?.['url']));
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="p.bin"; filename*=UTF-8''p.bin`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    });
    expect((await desk(v4, id).files())[0]?.['url']).toBeNull();
  });

  it.each([
    { name: 'another type', body: abc, type: 'text/html', place: 'content-type' },
    { name: 'a parameter more', body: abc, type: 'text/plain; charset=utf-8', place: 'content-type' },
    { name: 'no type', body: abc, type: '', place: 'content-type' },
    { name: 'a type that is none', body: abc, type: 'plain', place: 'content-type' },
    { name: 'fewer bytes', body: Buffer.from('ab'), type: 'text/plain', place: 'content-length' },
    { name: 'no bytes', body: Buffer.alloc(0), type: 'text/plain', place: 'content-length' },
    { name: 'more bytes', body: Buffer.from('abcd'), type: 'text/plain', place: 'content-length' },
    { name: 'far more bytes', body: Buffer.alloc(5_000_000), type: 'text/plain', place: 'content-length' },
  ])('refuses $name, keeps nothing, and takes the right ones then', async ({ body, type, place }) => {
    const address = await desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3, contentType: 'text/plain' });
    const refused = await put(address, body, type);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ['header', place], msg: expect.stringContaining('The address takes'), type: expect.any(String) },
        ],
      },
    });
    await expectNothingKept();
    expect((await put(address, abc, 'Text/Plain')).status).toBe(200);
  });

  it.each([
    { name: 'too short', pieces: ['a', 'b'] },
    { name: 'too long by one', pieces: ['abc', 'd'] },
    { name: 'empty', pieces: [] },
    { name: 'far too long', pieces: Array.from({ length: 100 }, () => 'x'.repeat(65_536)) },
  ])('counts a body of unknown length: $name', async ({ pieces }) => {
    const address = await desk(v3, id).requestUploadUrl({ name: 'a.bin', size: 3 });
    const refused = await put(address, createStream(pieces));
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['header', 'content-length'] }] } });
    await expectNothingKept();
    expect((await put(address, createStream(['a', 'bc']))).status).toBe(200);
  });

  it('leaves nothing when its sender breaks off, and can be used again', async () => {
    const address = await desk(v4, id).requestUploadUrl({ name: 'a.bin', size: 1_000_000 });
    const sender = await sendHalf(address);
    expect(await listUnreferencedKeys(started.backend.db)).toHaveLength(1);
    sender.destroy();
    await vi.waitFor(expectNothingKept, { timeout: 60_000 });
    expect((await put(address, Buffer.alloc(1_000_000))).status).toBe(200);
  });

  it('may end late when it began in time', async () => {
    const sender = await sendHalf(await desk(v4, id).requestUploadUrl({ name: 'a.bin', size: 1_000_000 }));
    started.clock.advance(9 * minuteMs);
    await desk(v4, id).requestUploadUrl({ name: 'b.txt', size: 3 });
    expect(await finish(sender)).toBe(200);
    expect(await desk(v4, id).paths()).toEqual(['uploads/a.bin']);
  });

  it('leaves nothing when its workspace is deleted while it sends', async () => {
    const sender = await sendHalf(await desk(v4, id).requestUploadUrl({ name: 'a.bin', size: 1_000_000 }));
    await v4.call('DELETE', `/workspaces/${id}`);
    expect(await finish(sender)).toBe(404);
    expect(listBlobs()).toEqual([]);
    expect(await listUnreferencedKeys(started.backend.db)).toEqual([]);
  });

  it('takes one file: a second one is refused and changes nothing', async () => {
    const address = await desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3 });
    expect((await put(address, abc)).status).toBe(200);
    const again = await put(address, Buffer.from('xyz'));
    expect(again).toMatchObject({ status: 409, body: { detail: expect.stringContaining('taken its file') } });
    const [file] = await desk(v4, id).files('?includeUrls=true');
    expect(await (await fetch(String(file?.['url']))).text()).toBe('abc');
  });

  it('takes one of two files that come at the same time', async () => {
    const address = await desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3 });
    const sent = await Promise.all(['abc', 'xyz'].map((text) => put(address, Buffer.from(text))));
    expect(sent.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const [file] = await desk(v4, id).files('?includeUrls=true');
    const winner = sent[0]?.status === 200 ? 'abc' : 'xyz';
    expect(await (await fetch(String(file?.['url']))).text()).toBe(winner);
    expect(listBlobs()).toHaveLength(1);
  });

  it('opens for 5 minutes', async () => {
    const [first, second] = await Promise.all(
      ['a', 'b'].map((name) => desk(v4, id).requestUploadUrl({ name, size: 3 })),
    );
    started.clock.advance(5 * minuteMs - 1000);
    expect((await put(String(first), abc)).status).toBe(200);
    started.clock.advance(1001);
    const late = await put(String(second), abc);
    expect(late).toMatchObject({ status: 403, body: { detail: expect.stringContaining('expired') } });
    expect(await desk(v4, id).paths()).toEqual(['uploads/a']);
  });

  it('opens for its own file, and only unchanged', async () => {
    const [one, other] = await Promise.all(['a', 'b'].map((name) => desk(v4, id).requestUploadUrl({ name, size: 3 })));
    const mixed = new URL(String(one));
    mixed.pathname = new URL(String(other)).pathname;
    const later = String(one).replace(/expires=\d+/, `expires=${Date.now() + 1e9}`);
    const download = String(one).replace('/uploads/', '/files/');
    for (const address of [mixed.href, later, `${started.address}/uploads/x`, String(one).replace('nonce=', 'nonce=x')])
      expect((await put(address, abc)).status).toBe(403);
    expect((await fetch(download)).status).toBe(403);
  });

  it('is forgotten some time after its end', async () => {
    await desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3 });
    started.clock.advance(11 * minuteMs);
    await desk(v4, id).requestUploadUrl({ name: 'b.txt', size: 3 });
    const rows = await started.backend.db.selectFrom('files').select('path').execute();
    expect(rows).toEqual([{ path: 'uploads/b.txt' }]);
  });
});

describe('a download address', () => {
  it('opens for 60 seconds', async () => {
    await desk(v4, id).store('a.txt', 'abc');
    const [file] = await desk(v4, id).files('?includeUrls=true');
    const address = String(file?.['url']);
    expect(address).toMatch(new RegExp(`^${started.address}/files/`));
    expect(address).not.toContain(testKey);
    started.clock.advance(59_000);
    expect((await fetch(address)).status).toBe(200);
    started.clock.advance(1001);
    const late = await fetch(address);
    expect([late.status, await late.json()]).toEqual([403, { detail: expect.stringContaining('expired') }]);
  });

  it('has the type that was declared, to the letter', async () => {
    const address = await desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3, contentType: 'text/plain' });
    await put(address, abc, 'text/plain');
    const [file] = await desk(v4, id).files('?includeUrls=true');
    expect((await fetch(String(file?.['url']))).headers.get('content-type')).toBe('text/plain');
  });

  it('is for saving, never for showing, whatever the file calls itself', async () => {
    const address = await desk(v4, id).requestUploadUrl({ name: 'ré"sumé.html', size: 3, contentType: 'text/html' });
    await put(address, abc, 'text/html');
    const [file] = await desk(v4, id).files('?includeUrls=true');
    const { headers } = await fetch(String(file?.['url']));
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="r__sum_.html"; filename*=UTF-8''r%C3%A9_sum%C3%A9.html`,
    );
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('of a replaced file opens nothing', async () => {
    await desk(v4, id).store('a.txt', 'abc');
    const [file] = await desk(v4, id).files('?includeUrls=true');
    await desk(v4, id).store('a.txt', 'xyz');
    expect((await fetch(String(file?.['url']))).status).toBe(404);
  });
});

describe('names', () => {
  it.each([
    { name: '../../etc/passwd', stored: '.._.._etc_passwd' },
    { name: 'C:\\temp\\a.txt', stored: 'C__temp_a.txt' },
    { name: ' a \n b .txt. ', stored: 'a b .txt' },
    { name: 'invoice\u0000\u202efdp.exe', stored: 'invoice__fdp.exe' },
    { name: 'e\u0301té.txt', stored: 'été.txt' },
    { name: '.profile', stored: '.profile' },
  ])('$name is kept as $stored', async ({ name, stored }) => {
    const [upload] = await desk(v4, id).reserve({ files: [{ name, size: 1 }] });
    expect(upload).toMatchObject({ name, storedName: stored, path: `uploads/${stored}`, willOverride: false });
    const [again] = await desk(v3, id).reserve({ files: [{ name, size: 1 }] }, '?prefix=/a//b');
    expect(again).toMatchObject({ name, path: `a/b/${stored}` });
    expect(Object.keys(again ?? {})).toEqual(['name', 'uploadUrl', 'path']);
  });

  it.each(['..', '.', '   ', '...'])('%j is no file name', async (name) => {
    const body = { files: [{ name, size: 1 }] };
    expect((await v4.call('POST', `/workspaces/${id}/files/upload`, body)).status).toBe(400);
    const refused = await v3.call('POST', `/workspaces/${id}/files/upload`, body);
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'files', 0, 'name'] }] } });
  });

  it.each(['..', 'a/../b', './a', 'é/'.repeat(171)])('V3: the folder %s is refused', async (prefix) => {
    const body = { files: [{ name: 'a', size: 1 }] };
    const refused = await v3.call('POST', `/workspaces/${id}/files/upload?prefix=${prefix}`, body);
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'prefix'] }] } });
  });
});

describe('a name that is taken', () => {
  const upload = (names: string[], allowOverrides?: boolean) =>
    v4.call('POST', `/workspaces/${id}/files/upload`, {
      files: names.map((name) => ({ name, size: 3 })),
      ...(allowOverrides === undefined ? {} : { allowOverrides }),
    });

  it('is replaced unless that is forbidden', async () => {
    await desk(v4, id).store('a.txt', 'abc');
    const { body } = await upload(['b.txt', 'a.txt', 'b.txt']);
    expect((body['files'] as JsonObject[]).map((file) => file['willOverride'])).toEqual([false, true, true]);
    await desk(v4, id).store('a.txt', 'longer');
    expect(await desk(v4, id).files()).toMatchObject([{ path: 'uploads/a.txt', size: 6 }]);
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(6);
    expect(listBlobs()).toHaveLength(1);
  });

  it('refuses the whole request when overriding is forbidden, before anything is reserved', async () => {
    await desk(v4, id).store('a.txt', 'abc');
    expect(await upload(['b.txt', 'a?.txt'], false)).toMatchObject({ status: 200 });
    const rows = () => started.backend.db.selectFrom('files').select('id').execute();
    const before = await rows();
    const refused = await upload(['c.txt', 'a.txt'], false);
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('uploads/a.txt') } });
    expect((await upload(['d.txt', 'd.txt'], false)).status).toBe(409);
    expect(await rows()).toEqual(before);
  });

  it('goes to the first of two that were both free to take it', async () => {
    const addresses = await Promise.all(
      [1, 2].map(() => desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3 }, { allowOverrides: false })),
    );
    const sent = await Promise.all(addresses.map((address) => put(address, abc)));
    expect(sent.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect(await desk(v4, id).paths()).toEqual(['uploads/a.txt']);
    expect(listBlobs()).toHaveLength(1);
    expect(await listUnreferencedKeys(started.backend.db)).toEqual([]);
  });

  it('goes to the last of two that may override', async () => {
    const addresses = await Promise.all([1, 2].map(() => desk(v4, id).requestUploadUrl({ name: 'a.txt', size: 3 })));
    const sent = await Promise.all(addresses.map((address) => put(address, abc)));
    expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    expect(await desk(v4, id).paths()).toEqual(['uploads/a.txt']);
    expect(listBlobs()).toHaveLength(1);
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(3);
  });
});

describe('requests for uploads', () => {
  const file = { name: 'a', size: 1 };
  it.each([
    { name: 'none', body: { files: [] }, ok: [] },
    { name: 'ten', body: { files: Array.from({ length: 10 }, () => file) }, ok: ['v3', 'v4'] },
    { name: 'eleven', body: { files: Array.from({ length: 11 }, () => file) }, ok: [] },
    { name: 'an empty name', body: { files: [{ name: '', size: 1 }] }, ok: [] },
    { name: 'a name of 255', body: { files: [{ name: 'x'.repeat(255), size: 1 }] }, ok: ['v3', 'v4'] },
    { name: 'a name of 256', body: { files: [{ name: 'x'.repeat(256), size: 1 }] }, ok: [] },
    { name: 'size 0', body: { files: [{ name: 'a', size: 0 }] }, ok: [] },
    { name: 'half a byte', body: { files: [{ name: 'a', size: 1.5 }] }, ok: [] },
    { name: 'no size', body: { files: [{ name: 'a' }] }, ok: [] },
    { name: 'size null', body: { files: [{ name: 'a', size: null }] }, ok: [] },
    { name: '50 MiB', body: { files: [{ name: 'a', size: 52_428_800 }] }, ok: ['v3', 'v4'] },
    { name: 'more than 50 MiB', body: { files: [{ name: 'a', size: 52_428_801 }] }, ok: ['v3'] },
    { name: 'a type that is none', body: { files: [{ name: 'a', size: 1, contentType: 'text' }] }, ok: [] },
    { name: 'a type with a line break', body: { files: [{ name: 'a', size: 1, contentType: 'a/b;\nx' }] }, ok: [] },
    {
      name: 'a type with parameters',
      body: { files: [{ ...file, contentType: 'text/plain; charset=utf-8' }] },
      ok: ['v3', 'v4'],
    },
  ])('$name', async ({ body, ok }) => {
    for (const [version, api] of [
      ['v3', v3],
      ['v4', v4],
    ] as const) {
      const { status } = await api.call('POST', `/workspaces/${id}/files/upload`, body);
      expect([version, status]).toEqual([version, ok.includes(version as never) ? 200 : 422]);
    }
  });
});

describe('the room of a workspace', () => {
  beforeEach(async () => {
    await started.stop();
    await start({ rules: withRoom(10) });
    id = await makeWorkspace(v4);
  });

  it('is counted exactly, and what does not fit is refused before it is reserved', async () => {
    await desk(v4, id).store('a', '123456');
    const refused = await v3.call('POST', `/workspaces/${id}/files/upload`, { files: [{ name: 'b', size: 5 }] });
    expect(refused).toEqual({
      status: 413,
      body: { detail: 'The workspace holds 6 of 10 bytes: 5 bytes more do not fit' },
    });
    const huge = await v3.call('POST', `/workspaces/${id}/files/upload`, { files: [{ name: 'b', size: 1e300 }] });
    expect(huge.status).toBe(413);
    const sum = { files: ['b', 'c'].map((name) => ({ name, size: 3 })) };
    expect((await v4.call('POST', `/workspaces/${id}/files/upload`, sum)).status).toBe(413);
    await desk(v4, id).store('b', '1234');
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body).toEqual({ usedBytes: 10, maxBytes: 10 });
  });

  it('counts a file that is replaced once', async () => {
    await desk(v4, id).store('a', '1234567890');
    await desk(v4, id).store('a', '0987654321');
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(10);
  });

  it('is kept when uploads that each fit come together', async () => {
    const addresses = await Promise.all(
      ['a', 'b', 'c'].map((name) => desk(v4, id).requestUploadUrl({ name, size: 6 })),
    );
    const sent = await Promise.all(addresses.map((address) => put(address, Buffer.from('123456'))));
    expect(sent.map(({ status }) => String(status)).toSorted()).toEqual(['200', '413', '413']);
    expect((await v4.call('GET', `/workspaces/${id}/size`)).body['usedBytes']).toBe(6);
    expect(listBlobs()).toHaveLength(1);
  });
});

it('a start removes bytes without an owner', async () => {
  await started.stop();
  const dataFolder = mkdtempSync(join(tmpdir(), 'svc-left-'));
  await start({ dataFolder });
  id = await makeWorkspace(v4);
  await desk(v4, id).store('a.txt', 'abc');
  const orphan = 'aaaaaaaa-0000-4000-8000-000000000000.bin';
  writeFileSync(`${dataFolder}/blobs/${orphan}`, 'x');
  writeFileSync(`${dataFolder}/blobs/.${orphan}`, 'x');
  await markUnreferenced(started.backend.db, orphan, 0);
  expect(listBlobs()).toHaveLength(3);
  await started.stop();
  await start({ dataFolder });
  expect(listBlobs()).toHaveLength(1);
  expect(await listUnreferencedKeys(started.backend.db)).toEqual([]);
  expect(await desk(v4, id).paths()).toEqual(['uploads/a.txt']);
  rmSync(dataFolder, { recursive: true });
});

it('a service on a bucket keeps its files there, and refused ones nowhere', async () => {
  for (const [name, value] of Object.entries(s3Environment)) vi.stubEnv(name, value);
  const s3 = await startS3();
  const bucket = await openS3Blobs(s3.parsed);
  await started.stop();
  await start({ blobs: bucket.blobs });
  id = await makeWorkspace(v4);
  const text = 'x'.repeat(2_000_000);
  const path = await desk(v4, id).store('a.txt', text);
  expect(s3.objects()).toHaveLength(1);
  const [file] = await desk(v4, id).files('?includeUrls=true');
  expect(await (await fetch(String(file?.['url']))).text()).toBe(text);
  const other = await desk(v4, id).requestUploadUrl({ name: 'b.txt', size: 100_000 });
  expect((await put(other, Buffer.alloc(99_999))).status).toBe(422);
  expect((await put(other, createStream(['x'.repeat(200_000)]))).status).toBe(422);
  expect(s3.objects()).toHaveLength(1);
  expect((await v4.call('DELETE', `/workspaces/${id}/files?path=${path}`)).status).toBe(204);
  expect(s3.objects()).toEqual([]);
  expect(listBlobs()).toEqual([]);
  bucket.close();
  await s3.stop();
  vi.unstubAllEnvs();
});

function createStream(pieces: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
}

function withRoom(bytes: number): RuleBook {
  const limits = defaultRules.limits.limits.map((row) =>
    row.limit === 'workspaceBytes' ? { ...row, value: bytes } : row,
  );
  return { ...defaultRules, limits: { ...defaultRules.limits, limits } };
}
