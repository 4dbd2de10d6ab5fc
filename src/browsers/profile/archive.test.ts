import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { packArchive, type PackedFile, unpackArchive } from './archive-format.ts';

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

const file = (path: string, content: Uint8Array): PackedFile => ({
  path,
  size: content.length,
  bytes: inPieces(content, 700),
});

async function unpacked(archive: Uint8Array, pieceLength = 1_000): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { path, bytes } of unpackArchive(inPieces(archive, pieceLength)))
    found.push([path, (await whole(bytes)).toString('hex')]);
  return found;
}

const name = fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }).filter((text) => !/^\.\.?$|[/\0]/.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));

test('an archive holds any files, in order, however its bytes come', async () => {
  const files = fc.array(fc.tuple(path, fc.uint8Array({ maxLength: 2_000 })), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 3_000 }), async (given, pieceLength) => {
      const archive = await whole(packArchive(given.map(([at, content]) => file(at, content))));
      const expected = given.map(([at, content]) => [at, Buffer.from(content).toString('hex')]);
      expect(await unpacked(archive, pieceLength)).toEqual(expected);
    }),
  );
});

test('a file that has not the size that it was said to have makes no archive', async () => {
  const wrong = { ...file('log', Buffer.from('four')), size: 5 };
  await expect(whole(packArchive([wrong]))).rejects.toThrow('found 4 bytes in log, expected 5');
});

test('an archive that is cut off anywhere is refused', async () => {
  const archive = await whole(
    packArchive([file('a'.repeat(150), Buffer.from('content')), file('b', Buffer.from('x'))]),
  );
  for (let length = 0; length <= archive.length - 1_024; length += 100)
    await expect(unpacked(archive.subarray(0, length))).rejects.toThrow('too early');
});

test.each(['../out', '/etc/passwd', 'a/../../out', 'a//b', './a', `${'a/'.repeat(80)}../b`])(
  'the path %s leaves the folder and is refused',
  async (at) => {
    const archive = await whole(packArchive([file(at, Buffer.from('x'))]));
    await expect(unpacked(archive)).rejects.toThrow('leaves its folder');
  },
);

test('a link is refused', async () => {
  const archive = await whole(packArchive([file('a', Buffer.alloc(0))]));
  archive.write('2', 156, 'latin1');
  await expect(unpacked(archive)).rejects.toThrow('a member of type 2');
});
