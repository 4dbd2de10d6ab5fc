import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

/** Where bytes that do not belong in the database are kept, by a key that `put` makes. */
export interface Blobs {
  /** Stores bytes and answers with their key; when it resolves they are complete. */
  put(bytes: Uint8Array, extension: string): Promise<string>;
  /** The bytes of a key, or null when there are none. */
  get(key: string): Promise<Uint8Array | null>;
}

const keyPattern = /^[0-9a-f-]{36}\.[a-z0-9]{1,5}$/;

/** Blobs as files of one folder; a file appears under its name only when it is complete. */
export function createDiskBlobs(folder: string): Blobs {
  return {
    async put(bytes, extension) {
      const key = `${randomUUID()}.${extension}`;
      await mkdir(folder, { recursive: true });
      const temporary = join(folder, `.${key}`);
      await writeFile(temporary, bytes);
      await rename(temporary, join(folder, key));
      return key;
    },
    async get(key) {
      if (!keyPattern.test(key)) return null;
      try {
        return await readFile(join(folder, key));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}
