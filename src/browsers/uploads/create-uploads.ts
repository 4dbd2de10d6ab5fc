import { randomUUID } from 'node:crypto';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BrowserUploads } from '../host.ts';
import { isMissing } from '../launch/is-missing.ts';

/** Uploads in a folder of one browser, for its user to read; null is our own. A file appears under its name only when it is complete. */
export function createUploads(folder: string, uid: number | null): BrowserUploads {
  const mode = uid === null ? 0o600 : 0o644;
  const names = new Set<string>();
  return {
    pathOf: (name) => (names.has(name) ? join(folder, name) : null),
    async put(name, bytes) {
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        const handle = await open(temporary, 'wx', mode);
        await pipeline(bytes, handle.createWriteStream());
        // Whatever the mask of this process takes away.
        await chmod(temporary, mode);
        await rename(temporary, join(folder, name));
      } catch (error) {
        await rm(temporary, { force: true });
        // Its folder has gone with the browser: nobody is left to name the file.
        if (isMissing(error)) return;
        throw error;
      }
      names.add(name);
    },
  };
}
