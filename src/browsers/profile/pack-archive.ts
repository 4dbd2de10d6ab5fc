import type { PackedFile } from './archive-entry.ts';

const blockBytes = 512;
/** What a name field holds; a longer path goes into an extended header before its file. */
const nameBytes = 100;

/**
 * A tar archive (POSIX.1-2001) of files, as it is read. Throws a RangeError when a file has not the size that it was said to have:
 * the archive would be unreadable from there on.
 */
export async function* packArchive(
  files: AsyncIterable<PackedFile> | Iterable<PackedFile>,
): AsyncGenerator<Uint8Array> {
  for await (const { path, size, bytes } of files) {
    if (needsExtension(path)) yield extension(path);
    yield header({ name: needsExtension(path) ? 'long' : path, size, type: '0' });
    let count = 0;
    for await (const piece of bytes) {
      count += piece.length;
      yield piece;
    }
    if (count !== size) throw new RangeError(`found ${count} bytes in ${path}, expected ${size}`);
    yield padding(size);
  }
  yield new Uint8Array(2 * blockBytes);
}

function needsExtension(path: string): boolean {
  return Buffer.byteLength(path) > nameBytes || !/^[\x20-\x7e]*$/.test(path);
}

/** An extended header with the path; its record begins with its own length in digits. */
function extension(path: string): Uint8Array {
  const body = ` path=${path}\n`;
  const bodyBytes = Buffer.byteLength(body);
  let length = bodyBytes + String(bodyBytes).length;
  length = bodyBytes + String(length).length;
  const record = Buffer.from(`${length}${body}`);
  return Buffer.concat([header({ name: 'extended', size: record.length, type: 'x' }), record, padding(record.length)]);
}

function padding(size: number): Uint8Array {
  return new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes);
}

function header({ name, size, type }: { name: string; size: number; type: '0' | 'x' }): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0, 'latin1');
  block.write('0000600\0', 100, 'latin1');
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  // The sum counts its own field as spaces.
  block.write(' '.repeat(8), 148, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
