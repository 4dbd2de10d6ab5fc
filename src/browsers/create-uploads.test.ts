import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createUploads } from './local-browser.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-uploads-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const text = (content: string): Readable => Readable.from([Buffer.from(content)]);

test('a file is there under its name when it is complete, and is replaced by the next', async () => {
  const uploads = createUploads(folder, null);
  await uploads.put('a.txt', text('one'));
  await uploads.put('a.txt', text('two'));
  expect(await readFile(uploads.findPath('a.txt') ?? '', 'utf8')).toBe('two');
  expect(uploads.findPath('b.txt')).toBeNull();
});

test('what breaks off leaves nothing', async () => {
  const uploads = createUploads(folder, null);
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('o');
    throw new Error('cut off');
  };
  await expect(uploads.put('a.txt', broken())).rejects.toThrow('cut off');
  expect([await readdir(folder), uploads.findPath('a.txt')]).toEqual([[], null]);
});

test('a browser that is gone with its folder takes nothing, and that is no error', async () => {
  const uploads = createUploads(folder, null);
  await rm(folder, { recursive: true });
  await uploads.put('a.txt', text('one'));
  expect(uploads.findPath('a.txt')).toBeNull();
});
