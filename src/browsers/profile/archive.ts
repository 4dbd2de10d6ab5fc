import { constants, createWriteStream } from 'node:fs';
import { chown, mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { packArchive, type PackedFile, unpackArchive, type UnpackedFile } from './archive-format.ts';
import { carriedName, type CarriedState, nothingCarried, readCarried, writeCarried } from './carried-state.ts';

/** Where the user data lie in an archive. */
const userDataPrefix = 'user-data/';

/** What an archive is made of. */
export interface ArchiveDeps {
  /** Folder of the user data. */
  readonly folder: string;
  readonly files: readonly UserDataFile[];
  readonly carried: CarriedState;
}

/** Databases and logs of pages shrink to a tenth at any level; the lowest one costs the least time of a stop. */
const compression = { level: 1 };

/** Writes a compressed archive into a new file that only we can read; resolves to its size in bytes. */
export async function writeArchive(target: string, deps: ArchiveDeps): Promise<number> {
  const file = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  await pipeline(Readable.from(packArchive(filesOf(deps))), createGzip(compression), file);
  return (await stat(target)).size;
}

function* filesOf({ folder, files, carried }: ArchiveDeps): Generator<PackedFile> {
  yield packedText(carriedName, writeCarried(carried));
  for (const { path, size } of files)
    yield { path: `${userDataPrefix}${path}`, size, bytes: readOwn(join(folder, path)) };
}

/** A small file whose bytes are there already. */
export function packedText(path: string, bytes: Uint8Array): PackedFile {
  return { path, size: bytes.length, bytes: Readable.from([bytes]) };
}

/** The bytes of a file that is no link. */
async function* readOwn(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    yield* handle.createReadStream({ autoClose: false });
  } finally {
    await handle.close();
  }
}

/** Where user data are unpacked to. */
export interface UnpackTarget {
  /** An empty folder. */
  readonly folder: string;
  /** User and group that the files are for, or null for our own. */
  readonly uid: number | null;
}

/**
 * Unpacks a compressed archive into a folder; what it carries beside the user data is the answer. Without a target only that is
 * read. Rejects when the archive cannot be read to its proven end: what lies in the folder then must not be used.
 */
export async function readArchive(
  bytes: AsyncIterable<Uint8Array>,
  target: UnpackTarget | null,
): Promise<CarriedState> {
  const made = new Set<string>();
  let carried = nothingCarried;
  for await (const file of unpackArchive(inflated(bytes))) {
    if (file.path === carriedName) carried = readCarried(await wholeOf(file));
    else if (target !== null && file.path.startsWith(userDataPrefix)) await place(file, target, made);
    else for await (const _skipped of file.bytes);
  }
  return carried;
}

/** A source that fails ends the stream with its error. */
function inflated(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const source = Readable.from(bytes);
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

async function wholeOf({ bytes }: UnpackedFile): Promise<Buffer> {
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

/** Makes a folder and those above it, each once, each for the user of the browser. */
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
  /** Relative to the folder, with `/` between its parts. */
  readonly path: string;
  readonly size: number;
}
