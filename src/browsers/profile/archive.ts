import { constants, createWriteStream } from 'node:fs';
import { chown, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { packArchive, type PackedFile, unpackArchive, type UnpackedFile } from './archive-format.ts';
import { carriedName, type CarriedState, nothingCarried, readCarried, writeCarried } from './carried-state.ts';

/** Path prefix of user data in an archive. */
const userDataPrefix = 'user-data/';

/** Contents of an archive. */
export interface ArchiveDeps {
  /** Folder of the user data. */
  readonly folder: string;
  readonly files: readonly UserDataFile[];
  readonly carried: CarriedState;
}

/**
 * Compression level. Data of pages shrink to a tenth at any level, and the lowest level is the fastest. Compression
 * delays the stop of a browser.
 */
const compression = { level: 1 };

/**
 * Writes the archive of a profile, compressed, into a new file that only the service can read. Resolves to the size of
 * the file in bytes.
 */
export async function writeArchive(target: string, deps: ArchiveDeps): Promise<number> {
  const file = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  await pipeline(Readable.from(packArchive(getFiles(deps))), createGzip(compression), file);
  return (await stat(target)).size;
}

function* getFiles({ folder, files, carried }: ArchiveDeps): Generator<PackedFile> {
  yield packedText(carriedName, writeCarried(carried));
  for (const { path, size } of files)
    yield { path: `${userDataPrefix}${path}`, size, bytes: readOwn(join(folder, path)) };
}

/** Returns a file to pack whose bytes are in memory. */
export function packedText(path: string, bytes: Uint8Array): PackedFile {
  return { path, size: bytes.length, bytes: Readable.from([bytes]) };
}

/** Yields the bytes of a file; throws for a symbolic link. */
async function* readOwn(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    yield* handle.createReadStream({ autoClose: false });
  } finally {
    await handle.close();
  }
}

/** Target of unpacked user data. */
export interface UnpackTarget {
  /** Folder to unpack into, which must be empty. */
  readonly folder: string;
  /** User and group id that own the files; null for the service's own. */
  readonly uid: number | null;
}

/**
 * Unpacks the user data of a compressed archive into the target folder, and returns the carried state. With a null
 * target, only returns the carried state. Rejects when the archive is incomplete or damaged; the folder must then not
 * be used.
 */
export async function readArchive(
  bytes: AsyncIterable<Uint8Array>,
  target: UnpackTarget | null,
): Promise<CarriedState> {
  const made = new Set<string>();
  let carried = nothingCarried;
  for await (const file of unpackArchive(inflated(bytes))) {
    if (file.path === carriedName) carried = readCarried(await getWhole(file));
    else if (target !== null && file.path.startsWith(userDataPrefix)) await place(file, target, made);
    else for await (const _skipped of file.bytes);
  }
  return carried;
}

/** Returns the decompressed bytes as a stream. If the source fails, this stream fails with the same error. */
function inflated(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const source = Readable.from(bytes);
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

async function getWhole({ bytes }: UnpackedFile): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function place(file: UnpackedFile, target: UnpackTarget, made: Set<string>): Promise<void> {
  const relative = file.path.slice(userDataPrefix.length);
  await makeFolder(dirname(relative), target, made);
  const path = join(target.folder, relative);
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const piece of file.bytes) await handle.writeFile(piece);
    if (target.uid !== null) await handle.chown(target.uid, target.uid);
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder below the target folder, and its missing parent folders, for the user `uid`. Skips folders that are
 * in `made`.
 */
async function makeFolder(relative: string, target: UnpackTarget, made: Set<string>): Promise<void> {
  if (relative === '.' || made.has(relative)) return;
  await makeFolder(dirname(relative), target, made);
  const path = join(target.folder, relative);
  await mkdir(path, { mode: 0o700 });
  if (target.uid !== null) await chown(path, target.uid, target.uid);
  made.add(relative);
}

/** A file of a browser's user data. */
export interface UserDataFile {
  /** Path relative to the folder of the user data, with `/` as separator. */
  readonly path: string;
  readonly size: number;
}
