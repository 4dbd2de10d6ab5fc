import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostLog } from '../host-log.ts';
import { isMissing } from './process-table.ts';
import { listProcesses, type ProcessStatus } from './process-status.ts';

/** What one browser may take of its machine. */
export interface BrowserBounds {
  /** Memory of all its processes together, shared memory by its share. */
  readonly memoryBytes: number;
  /** Its folder: profile, temporary files, downloads. */
  readonly diskBytes: number;
}

/** A browser that is watched. */
export interface Watched {
  /** The main process, by whose number its group is known. */
  readonly pid: number;
  /** Its folders, absolute; counted together. */
  readonly folders: readonly string[];
  /** Ends it, with a sentence why. */
  readonly end: (reason: string) => void;
}

/** Looks after the bounds of the browsers of a host. */
export interface Warden {
  /** Watches a browser until the returned function is called. */
  watch(browser: Watched): () => void;
  /** Looks once at all that are watched, as the timer does. */
  look(): Promise<void>;
  /** Stops looking; idempotent. */
  close(): void;
}

/** How often memory is looked at. A page fills a gigabyte within a second: the machine needs that much room beside the bounds. */
const LOOK_MS = 1_000;
/** Folders grow slowly and hold many files: they are looked at every so many times. */
const LOOKS_PER_FOLDER = 10;

/** Creates a warden that checks every second while browsers are watched. */
export function createWarden(bounds: BrowserBounds, log: HostLog): Warden {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | null = null;
  let looks = 0;

  const look = async (): Promise<void> => {
    const processes = await listProcesses();
    const folders = looks % LOOKS_PER_FOLDER === 0;
    looks += 1;
    for (const browser of watched) {
      const reason =
        (await tooMuchMemory(browser, processes, bounds)) ?? (folders ? await tooMuchDisk(browser, bounds) : null);
      // It may have ended while it was looked at.
      if (reason === null || !watched.delete(browser)) continue;
      log.warn({ pid: browser.pid, reason }, 'a browser is ended because it takes too much');
      browser.end(reason);
    }
  };
  const arm = (): void => {
    timer ??= setTimeout(() => {
      look()
        .catch((error: unknown) => log.warn({ err: error }, 'the browsers could not be looked at'))
        .finally(() => {
          timer = null;
          if (watched.size > 0) arm();
        });
    }, LOOK_MS).unref();
  };
  return {
    watch(browser) {
      watched.add(browser);
      arm();
      return () => void watched.delete(browser);
    },
    look,
    close() {
      watched.clear();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

async function tooMuchMemory(
  { pid }: Watched,
  processes: readonly ProcessStatus[],
  { memoryBytes }: BrowserBounds,
): Promise<string | null> {
  const group = processes.filter((process) => process.group === pid);
  // Counting each share exactly is dear; it cannot be more than this.
  if (group.reduce((sum, { residentBytes }) => sum + residentBytes, 0) <= memoryBytes) return null;
  const used = await memoryOf(group);
  return used <= memoryBytes
    ? null
    : `The browser was ended: it used ${mib(used)} MiB of memory of at most ${mib(memoryBytes)} MiB.`;
}

async function tooMuchDisk({ folders }: Watched, { diskBytes }: BrowserBounds): Promise<string | null> {
  const sizes = await Promise.all(folders.map(folderBytes));
  const used = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return used <= diskBytes
    ? null
    : `The browser was ended: its files took ${mib(used)} MiB of at most ${mib(diskBytes)} MiB.`;
}

function mib(bytes: number): number {
  return Math.round(bytes / (1024 * 1024));
}

const BYTES_PER_KIB = 1024;

/**
 * The memory of a group of processes in bytes, what they share with others by their share of it. Where the kernel does not show
 * us that of another user's processes, only what no file stands behind is counted.
 */
async function memoryOf(group: readonly ProcessStatus[]): Promise<number> {
  const shares = await Promise.all(group.map(async (process) => (await shareOf(process.pid)) ?? process.ownBytes));
  return shares.reduce((sum, bytes) => sum + bytes, 0);
}

async function shareOf(pid: number): Promise<number | null> {
  try {
    const found = /^Pss:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return found === null ? null : Number(found[1]) * BYTES_PER_KIB;
  } catch {
    // Forbidden, ended meanwhile or not supported by this kernel: then the estimate of its status has to do.
    return null;
  }
}

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
