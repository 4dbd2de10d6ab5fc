import { createSecretKey, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { createVault, openStream, sealedStreamExtra, sealStream } from './vault.ts';

const vault = createVault(randomBytes(32));

it('decrypts a text for the same owner only', () => {
  const sealed = vault.seal('hunter2 ü', 'run 1');
  expect(sealed).not.toContain('hunter2');
  expect(vault.seal('hunter2 ü', 'run 1')).not.toBe(sealed);
  expect(vault.open(sealed, 'run 1')).toBe('hunter2 ü');
  expect(() => vault.open(sealed, 'run 2')).toThrow('unable to authenticate');
  expect(() => createVault(randomBytes(32)).open(sealed, 'run 1')).toThrow('unable to authenticate');
});

it('rejects a modified text', () => {
  const sealed = Buffer.from(vault.seal('hunter2', 'run 1'), 'base64url');
  for (const place of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect(() => vault.open(changed.toString('base64url'), 'run 1')).toThrow('unable to authenticate');
  }
});

const seal = { key: createSecretKey(randomBytes(32)), owner: 'profile one' };

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

const sealed = (bytes: Uint8Array): Promise<Buffer> => whole(sealStream(inPieces(bytes, 7), seal));

test('encrypts and decrypts bytes in chunks of any size', async () => {
  const length = fc.integer({ min: 1, max: 200 });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), length, async (bytes, pieceLength) => {
      const closed = await sealed(bytes);
      expect(closed.length).toBe(bytes.length + sealedStreamExtra);
      if (bytes.length > 8) expect(closed.includes(Buffer.from(bytes))).toBe(false);
      expect(await whole(openStream(inPieces(closed, pieceLength), seal))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  { name: 'changed', change: (bytes: Buffer) => bytes.fill((bytes[20] ?? 0) ^ 1, 20, 21) },
  { name: 'cut off', change: (bytes: Buffer) => bytes.subarray(0, -1) },
  { name: 'too short for anything', change: (bytes: Buffer) => bytes.subarray(0, 5) },
  { name: 'longer than they were', change: (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1)]) },
])('rejects bytes that are $name', async ({ change }) => {
  const closed = change(await sealed(Buffer.alloc(100, 7)));
  await expect(whole(openStream(inPieces(closed, 13), seal))).rejects.toThrow(/authenticate|cut off/);
});

test('rejects bytes of another owner', async () => {
  const closed = await sealed(Buffer.alloc(100));
  for (const other of [
    { ...seal, owner: 'profile two' },
    { ...seal, key: createSecretKey(randomBytes(32)) },
  ])
    await expect(whole(openStream(inPieces(closed, 13), other))).rejects.toThrow('authenticate');
});
