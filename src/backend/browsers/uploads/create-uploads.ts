import { randomUUID } from 'node:crypto';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BrowserUploads } from '../host.ts';
import { isMissing } from '../launch/is-missing.ts';

/** Uploads in a folder of one browser. A file appears under its name only when it is complete. */
export function createUploads(folder: string): BrowserUploads {
  const names = new Set<string>();
  return {
    pathOf: (name) => (names.has(name) ? join(folder, name) : null),
    async put(name, bytes) {
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        const handle = await open(temporary, 'wx', 0o644);
        await pipeline(bytes, handle.createWriteStream());
        // Whatever the mask of this process takes away.
        await chmod(temporary, 0o644);
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
