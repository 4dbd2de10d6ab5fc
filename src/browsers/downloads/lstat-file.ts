import { lstat } from 'node:fs/promises';

/** The size of a file in bytes; null for what is none, such as a link to somebody else's file. */
export async function lstatFile(path: string): Promise<number | null> {
  const found = await lstat(path);
  return found.isFile() ? found.size : null;
}
