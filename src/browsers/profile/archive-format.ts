/** A file to pack. */
export interface PackedFile {
  /** Relative path with `/` as separator. */
  readonly path: string;
  /** Exact number of bytes to read. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A file from an archive. Its bytes must be read before the next file is requested. */
export interface UnpackedFile {
  /** Relative path without `.` and `..`, with `/` as separator. */
  readonly path: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const blockBytes = 512;
/** Size of the name field in a tar header. A longer path needs a pax extended header. */
const nameBytes = 100;

/**
 * Packs files into a tar archive (POSIX.1-2001), which is produced while it is read. Throws a RangeError when a file
 * does not have the announced size, because the rest of the archive would be unreadable.
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

/**
 * Returns a pax extended header of the tar format, for a path that is too long or not ASCII. The record in this header
 * begins with the length of the record.
 */
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
  // The checksum counts its own field as spaces.
  block.write(' '.repeat(8), 148, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Maximum size of an extended header: a path of a file system has at most 4,096 bytes. */
const extensionBytesMax = 8_192;

/**
 * Unpacks the files of an archive of `packArchive` in order. The bytes of a file must be read before the next file is
 * requested. Throws an Error for a truncated archive, for members other than files, and for a path that leaves the
 * target folder.
 */
export async function* unpackArchive(archive: AsyncIterable<Uint8Array>): AsyncGenerator<UnpackedFile> {
  const reader = createByteReader(archive);
  let longPath: string | null = null;
  for (;;) {
    const block = await reader.take(blockBytes);
    if (block.every((byte) => byte === 0)) break;
    const { name, size, type } = readHeader(block);
    if (type === 'x') longPath = await readExtension(reader, size);
    else {
      const path = checkPath(longPath ?? name);
      longPath = null;
      yield { path, size, bytes: reader.pieces(size) };
      await reader.take(getPadding(size));
    }
  }
  // Read to the end, because the source verifies its integrity only there.
  await reader.drain();
}

function readHeader(block: Buffer): { name: string; size: number; type: string } {
  const size = Number.parseInt(text(block.subarray(124, 136)), 8);
  const type = text(block.subarray(156, 157));
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('The archive has a member without a size.');
  if (type !== '0' && type !== 'x') throw new Error(`The archive has a member of type ${type}, expected files only.`);
  return { name: text(block.subarray(0, 100)), size, type };
}

async function readExtension(reader: ByteReader, size: number): Promise<string> {
  if (size > extensionBytesMax) throw new Error(`The archive has an extended header of ${size} bytes.`);
  const record = (await reader.take(size)).toString('utf8');
  await reader.take(getPadding(size));
  const path = /^\d+ path=(.*)\n$/s.exec(record)?.[1];
  if (path === undefined) throw new Error('The archive has an extended header without a path.');
  return path;
}

function checkPath(path: string): string {
  const parts = path.split('/');
  if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new Error(`The archive member ${JSON.stringify(path)} leaves its folder.`);
  return path;
}

function getPadding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? field.length : end);
}

/** Reads a stream in pieces of known size. */
interface ByteReader {
  /** Returns exactly `count` bytes. Throws an Error when the stream ends before that. */
  take(count: number): Promise<Buffer>;
  /** Yields `count` bytes in several arrays. All must be read before another method is called. */
  pieces(count: number): AsyncGenerator<Uint8Array>;
  /** Reads and discards the rest. */
  drain(): Promise<void>;
}

/** Creates a reader over a stream. It buffers at most one chunk of the stream. */
function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const pieces = source[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();

  /**
   * Returns up to `count` bytes of the buffered chunk, or of the next chunk if the buffer is empty; null at the end of
   * the stream.
   */
  const next = async (count: number): Promise<Uint8Array | null> => {
    while (held.length === 0) {
      const { done, value } = await pieces.next();
      if (done === true) return null;
      held = value;
    }
    const piece = held.subarray(0, count);
    held = held.subarray(count);
    return piece;
  };
  async function* exactly(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      const piece = await next(left);
      if (piece === null) throw new Error(`The archive ends ${left} bytes too early.`);
      left -= piece.length;
      yield piece;
    }
  }
  return {
    async take(count) {
      const taken: Uint8Array[] = [];
      for await (const piece of exactly(count)) taken.push(piece);
      return Buffer.concat(taken);
    },
    pieces: exactly,
    async drain() {
      while ((await next(Number.MAX_SAFE_INTEGER)) !== null);
    },
  };
}
