import { constants, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { PackedFile } from './archive-entry.ts';
import { type CarriedState, carriedName, writeCarried } from './carried-state.ts';
import type { UserDataFile } from './list-user-data.ts';
import { packArchive } from './pack-archive.ts';

/** Where the user data lie in an archive. */
export const userDataPrefix = 'user-data/';

/** What an archive is made of. */
export interface ArchiveParts {
  /** Folder of the user data. */
  readonly folder: string;
  readonly files: readonly UserDataFile[];
  readonly carried: CarriedState;
}

/** Databases and logs of pages shrink to a tenth at any level; the lowest one costs the least time of a stop. */
const compression = { level: 1 };

/** Writes a compressed archive into a new file that only we can read; resolves to its size in bytes. */
export async function writeArchive(target: string, parts: ArchiveParts): Promise<number> {
  const file = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  await pipeline(Readable.from(packArchive(filesOf(parts))), createGzip(compression), file);
  return (await stat(target)).size;
}

function* filesOf({ folder, files, carried }: ArchiveParts): Generator<PackedFile> {
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
