import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Blobs, exactLength, newBlobKey, WrongLength } from '#store/blobs/blobs.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import { openS3Blobs } from '#store/blobs/s3-blobs.ts';
import { createMemoryBlobs } from '#store/blobs/memory-blobs.ts';
import { type StartedS3, s3Environment, startS3 } from './support/start-s3.ts';

/**
 * A store under test. `kept` lists the stored keys from the memory, disk or bucket below the store, without using the
 * store.
 */
interface Opened {
  readonly blobs: Blobs;
  readonly kept: () => string[];
  readonly close: () => Promise<void>;
}

let s3: StartedS3;

beforeAll(async () => {
  for (const [name, value] of Object.entries(s3Environment)) vi.stubEnv(name, value);
  s3 = await startS3();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await s3.stop();
});

async function openDisk(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-blobs-'));
  const blobs = createDiskBlobs(join(folder, 'blobs'));
  const kept = (): string[] => (existsSync(join(folder, 'blobs')) ? readdirSync(join(folder, 'blobs')) : []);
  return { blobs, kept, close: async () => rmSync(folder, { recursive: true }) };
}

async function openS3(): Promise<Opened> {
  const opened = await openS3Blobs(s3.parsed);
  return { blobs: opened.blobs, kept: () => s3.objects(), close: async () => opened.close() };
}

/** Opens a memory store for small blobs, with a disk store for all others. `kept` lists the keys of both stores. */
async function openSmall(): Promise<Opened> {
  const { blobs: beside, kept: onDisk, close } = await openDisk();
  const kept = new Map<string, Uint8Array>();
  const blobs = createMemoryBlobs({ beside, bytesMax: 1000, totalMax: 2500, kept });
  return { blobs, kept: () => [...onDisk(), ...kept.keys()], close };
}

describe.each([
  { name: 'on disk', open: openDisk },
  { name: 'in memory where they are small', open: openSmall },
  { name: 'in an S3 bucket', open: openS3 },
])('blobs $name', ({ open }) => {
  let opened: Opened;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const pieces = [randomBytes(700_000), randomBytes(1), randomBytes(300_000)];
  const whole = Buffer.concat(pieces);

  it('gives back what was written, and removes it', async () => {
    const key = newBlobKey('jpg');
    const [, small = Buffer.alloc(0)] = pieces;
    await opened.blobs.write(key, { bytes: yieldPieces([small]), size: small.length });
    expect(opened.kept()).toEqual([key]);
    expect(Buffer.from((await opened.blobs.get(key)) ?? [])).toEqual(small);
    await opened.blobs.remove(key);
    await opened.blobs.remove(key);
    expect([await opened.blobs.get(key), await opened.blobs.read(key), opened.kept()]).toEqual([null, null, []]);
  });

  it('gives back what was streamed', async () => {
    const key = newBlobKey('bin');
    await opened.blobs.write(key, { bytes: exactLength(yieldPieces(pieces), whole.length), size: whole.length });
    expect(opened.kept()).toEqual([key]);
    expect((await readContent(await opened.blobs.read(key))).equals(whole)).toBe(true);
    await opened.blobs.remove(key);
    expect(opened.kept()).toEqual([]);
  });

  it.each([
    { name: 'ends early', source: () => yieldPieces(pieces.slice(0, 2)) },
    { name: 'goes on too long', source: () => yieldPieces([...pieces, Buffer.from('x')]) },
    { name: 'breaks off', source: () => yieldPieces(pieces.slice(0, 1), new Error('gone')) },
    { name: 'breaks off at once', source: () => yieldPieces([], new Error('gone')) },
  ])('keeps nothing of a stream that $name', async ({ source }) => {
    const write = opened.blobs.write(newBlobKey('bin'), {
      bytes: exactLength(source(), whole.length),
      size: whole.length,
    });
    await expect(write).rejects.toThrow(WrongLength);
    expect(opened.kept()).toEqual([]);
  });

  it('has no bytes for an unknown key', async () => {
    expect(await opened.blobs.read(newBlobKey('bin'))).toBeNull();
  });
});

describe('blobs in memory', () => {
  const open = async () => {
    const { blobs: beside, kept: onDisk, close } = await openDisk();
    const blobs = createMemoryBlobs({ beside, bytesMax: 1000, totalMax: 2500 });
    const write = async (size: number): Promise<string> => {
      const key = newBlobKey('bin');
      await blobs.write(key, { bytes: yieldPieces([Buffer.alloc(size - 1, 'a'), Buffer.from('z')]), size });
      return key;
    };
    return { blobs, onDisk, close, write };
  };

  it('are not too many together where they are written at once', async () => {
    const { blobs, onDisk, close, write } = await open();
    const keys = await Promise.all(Array.from({ length: 4 }, () => write(1000)));
    expect(onDisk()).toHaveLength(2);
    for (const key of keys) await blobs.remove(key);
    await close();
  });

  it('are only those that are small, and not too many together', async () => {
    const { blobs, onDisk, close, write } = await open();
    const large = await write(1001);
    expect(onDisk()).toEqual([large]);
    const first = await write(1000);
    await write(1000);
    const tooMuch = await write(501);
    expect(onDisk().toSorted()).toEqual([large, tooMuch].toSorted());
    await blobs.remove(first);
    await write(1000);
    expect(onDisk()).toHaveLength(2);
    for (const key of [large, tooMuch]) await blobs.remove(key);
    expect(onDisk()).toEqual([]);
    await close();
  });

  it('are given in parts, and as copies', async () => {
    const { blobs, close, write } = await open();
    const key = await write(4);
    expect(String(await readContent(await blobs.read(key, { first: 2, last: 3 })))).toBe('az');
    (await blobs.get(key))?.fill(0);
    expect(String(await readContent(await blobs.read(key)))).toBe('aaaz');
    await close();
  });

  it('are not those of an invalid key', async () => {
    const { blobs, close } = await open();
    await expect(blobs.write('../x', { bytes: yieldPieces([]), size: 0 })).rejects.toThrow(
      'expected one of newBlobKey',
    );
    await close();
  });
});

it('no text but a key of ours becomes a file name', async () => {
  const { blobs, kept, close } = await openDisk();
  for (const key of ['../../etc/passwd', '', '.', 'x'.repeat(40)]) {
    expect([await blobs.get(key), await blobs.read(key)]).toEqual([null, null]);
    await expect(blobs.remove(key)).rejects.toThrow('expected one of newBlobKey');
    await expect(blobs.write(key, { bytes: yieldPieces([]), size: 0 })).rejects.toThrow('expected one of newBlobKey');
  }
  expect(kept()).toEqual([]);
  await close();
});

it('a bucket that cannot be used is told at the start', async () => {
  await expect(openS3Blobs({ ...s3.parsed, bucket: 'elsewhere' })).rejects.toThrow(
    'found the bucket elsewhere out of reach',
  );
});

async function* yieldPieces(pieces: readonly Uint8Array[], end?: Error): AsyncGenerator<Uint8Array> {
  yield* pieces;
  if (end !== undefined) throw end;
}

async function readContent(stream: Readable | null): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const piece of stream ?? []) found.push(Buffer.from(piece));
  return Buffer.concat(found);
}
