import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { lockFolder } from '#store/data-folder.ts';
import { hasCode } from '#lib/system-errors.ts';

/** Video files of a dead process, and their folder. */
export interface LeftVideos {
  /** Folder of videos in the data folder of the dead process. */
  readonly from: string;
  /** Folder of videos of this process. */
  readonly to: string;
  /** Names of the video files. */
  readonly names: readonly string[];
  readonly log: Logger;
}

/**
 * Moves the videos of a dead process to the folder of this process and returns the names of the moved files. Locks the
 * data folder of the dead process meanwhile. Moves nothing if the lock is held, because its holder is alive.
 */
export async function takeVideos({ from, to, names, log }: LeftVideos): Promise<string[]> {
  const there = names.filter((name) => existsSync(join(from, name)));
  if (there.length === 0) return [];
  const unlock = tryLock(dirname(from), log);
  if (unlock === null) return [];
  try {
    await mkdir(to, { recursive: true, mode: 0o700 });
    const taken: string[] = [];
    for (const name of there) if (await take(join(from, name), join(to, name), log)) taken.push(name);
    return taken;
  } finally {
    unlock();
  }
}

function tryLock(dataFolder: string, log: Logger): (() => void) | null {
  try {
    return lockFolder(dataFolder);
  } catch (error) {
    log.info(
      { folder: dataFolder, err: error },
      'the videos of a process that is taken for dead are left where they are',
    );
    return null;
  }
}

/** Moves one video; false on failure. The file then stays in its folder, for a process that starts with this folder. */
async function take(file: string, own: string, log: Logger): Promise<boolean> {
  try {
    await move(file, own);
    return true;
  } catch (error) {
    log.warn({ video: basename(file), err: error }, 'a video of a dead process could not be taken over');
    return false;
  }
}

async function move(file: string, own: string): Promise<void> {
  try {
    await rename(file, own);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    // A video on another file system is copied under another name first, so that half a video never has the final name.
    await copyFile(file, `${own}.part`);
    await rename(`${own}.part`, own);
    await rm(file);
  }
}
