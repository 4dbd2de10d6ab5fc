import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../launch/is-missing.ts';

const BYTES_PER_BLOCK = 512;

/** What a folder takes on the disk, in bytes, without following links: holes in files take nothing. What vanishes meanwhile takes nothing. */
export async function folderBytes(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true }).catch(unlessMissing<Dirent[]>([]));
  const sizes = await Promise.all(
    entries.map((entry) =>
      entry.isDirectory() ? folderBytes(join(path, entry.name)) : fileBytes(join(path, entry.name)),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function fileBytes(path: string): Promise<number> {
  const found = await lstat(path).catch(unlessMissing<Stats | null>(null));
  return found === null ? 0 : found.blocks * BYTES_PER_BLOCK;
}

function unlessMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return instead;
    throw error;
  };
}
