import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/**
 * This file tests the public client's rules for files, with only fetch (companion 2, C24 to C27). The client relies on
 * the order of the answer, sends the declared type, and accepts any 2xx.
 */

interface Listed {
  readonly path: string;
  readonly url?: string | null;
}

interface FileList {
  readonly files: readonly Listed[];
  readonly nextCursor?: string | null;
  readonly hasMore?: boolean;
}

interface LocalFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

let started: StartedBackend;

beforeEach(async () => {
  started = await startBackend();
});

afterEach(() => started.stop());

/** Sends a request as C6 to C8 require: any 2xx is success, 204 has no body, and any other body is JSON. */
async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${started.address}/api${path}`, {
    method,
    headers: { 'X-Service-API-Key': testKey, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function send(url: string, { contentType, bytes }: LocalFile): Promise<void> {
  const response = await fetch(url, { method: 'PUT', headers: { 'Content-Type': contentType }, body: bytes });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}

/** Uploads files to V3 one after another (companion C24); returns their paths. */
async function uploadV3(workspace: string, files: readonly LocalFile[], prefix: string): Promise<string[]> {
  const { files: uploads } = await ask<{ files: { uploadUrl: string; path: string }[] }>(
    'POST',
    `/v3/workspaces/${workspace}/files/upload?prefix=${encodeURIComponent(prefix)}`,
    { files: files.map(({ name, contentType, bytes }) => ({ name, contentType, size: bytes.byteLength })) },
  );
  for (const [index, file] of files.entries()) await send(String(uploads[index]?.uploadUrl), file);
  return uploads.map(({ path }) => path);
}

/** Uploads files to V4 at the same time (companion C25); returns their ids and paths. */
async function uploadV4(workspace: string, files: readonly LocalFile[]): Promise<{ id: string; path: string }[]> {
  const { files: uploads } = await ask<{ files: { id: string; path: string; uploadUrl: string }[] }>(
    'POST',
    `/v4/workspaces/${workspace}/files/upload`,
    {
      files: files.map(({ name, contentType, bytes }) => ({ name, contentType, size: bytes.byteLength })),
      allowOverrides: true,
    },
  );
  if (uploads.length < files.length) throw new Error('fewer addresses than files');
  await Promise.all(files.map((file, index) => send(String(uploads[index]?.uploadUrl), file)));
  return uploads;
}

/**
 * Downloads a file (companion C26). Throws if the first page of the list does not contain the exact path of the file.
 */
async function download(workspace: string, path: string): Promise<Uint8Array> {
  const query = new URLSearchParams({ prefix: path, includeUrls: 'true' });
  const { files } = await ask<FileList>('GET', `/v3/workspaces/${workspace}/files?${query.toString()}`);
  const found = files.find((file) => file.path === path);
  if (typeof found?.url !== 'string') throw new Error(`found no ${path}`);
  return bytesAt(found.url);
}

/** Downloads all files below a prefix, page by page (companion C27). */
async function downloadAll(workspace: string, prefix: string): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ prefix, includeUrls: 'true', ...(cursor === undefined ? {} : { cursor }) });
    const page = await ask<FileList>('GET', `/v3/workspaces/${workspace}/files?${query.toString()}`);
    for (const file of page.files) all.set(file.path, await bytesAt(String(file.url)));
    cursor = page.hasMore === true ? (page.nextCursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return all;
}

async function bytesAt(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const localFile = (name: string, size = 1000): LocalFile => ({
  name,
  contentType: 'text/plain',
  bytes: new Uint8Array(randomBytes(size)),
});

describe('the public client', () => {
  it('V3: uploads files, downloads one of many and all of a folder', async () => {
    const { id } = await ask<{ id: string }>('POST', '/v3/workspaces', { name: 'client' });
    const sent = new Map<string, Uint8Array>();
    for (let round = 0; round < 7; round += 1) {
      const files = Array.from({ length: 10 }, (_, index) => localFile(`${round}-${index}`));
      const paths = await uploadV3(id, files, 'data/');
      for (const [index, path] of paths.entries()) sent.set(path, files[index]?.bytes ?? new Uint8Array());
    }
    await uploadV3(id, [localFile('elsewhere')], '');
    // Sixty names begin with this path. The file itself must be on the first page of fifty.
    expect(await download(id, 'data/0-0')).toEqual(sent.get('data/0-0'));
    const all = await downloadAll(id, 'data/');
    expect([...all.keys()]).toEqual([...sent.keys()].toSorted());
    expect(all).toEqual(new Map([...sent].toSorted(([one], [other]) => (one < other ? -1 : 1))));
  });

  it('V4: uploads and replaces a file, and V3 reads it', async () => {
    const { id } = await ask<{ id: string }>('POST', '/v4/workspaces', {});
    await uploadV4(id, [localFile('a.txt'), localFile('b.txt', 5)]);
    const second = localFile('a.txt', 1);
    const [upload] = await uploadV4(id, [second]);
    expect(upload?.path).toBe('uploads/a.txt');
    expect(await download(id, 'uploads/a.txt')).toEqual(second.bytes);
    expect(await ask('GET', `/v4/workspaces/${id}/size`)).toMatchObject({ usedBytes: 6 });
    await ask('DELETE', `/v4/workspaces/${id}`);
    await expect(download(id, 'uploads/a.txt')).rejects.toThrow('HTTP 404');
  });
});
