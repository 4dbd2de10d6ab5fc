import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostLog } from '../host-log.ts';
import { unlessMissing } from '#lib/system-errors.ts';
import { listProcesses, type ProcessStatus } from './process-status.ts';

/** Resource limits of one browser. */
export interface BrowserBounds {
  /**
   * Maximum memory of all processes of the browser together. Each process counts its proportional share of shared
   * memory.
   */
  readonly memoryBytes: number;
  /** Maximum size of the browser's folders: profile, temporary files and downloads. */
  readonly diskBytes: number;
}

/** A browser whose limits are checked. */
export interface Watched {
  /** Id of the main process, which is also the id of its process group. */
  readonly pid: number;
  /** Absolute paths of the browser's folders; their sizes are added. */
  readonly folders: readonly string[];
  /** Ends the browser; `reason` is a full sentence. */
  readonly end: (reason: string) => void;
}

/** Enforces the limits of all browsers of a host. */
export interface Warden {
  /** Enforces the limits on a browser until the returned function is called. */
  watch(browser: Watched): () => void;
  /** Checks all browsers once, as the timer does. */
  look(): Promise<void>;
  /** Stops checking; idempotent. */
  close(): void;
}

/**
 * Interval of memory checks. A page can allocate a gigabyte between two checks, so the machine needs a gigabyte more
 * than the limits add up to.
 */
const lookMs = 1_000;
/** Number of memory checks per check of the folders. Folders grow slowly, and to measure them takes long. */
const looksPerFolder = 10;

/**
 * Creates a warden. While it watches browsers, it checks their memory every second and their folders every ten seconds.
 */
export function createWarden(bounds: BrowserBounds, log: HostLog): Warden {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | null = null;
  let looks = 0;

  const look = async (): Promise<void> => {
    const processes = await listProcesses();
    const folders = looks % looksPerFolder === 0;
    looks += 1;
    for (const browser of watched) {
      try {
        const reason =
          (await tooMuchMemory(browser, processes, bounds)) ?? (folders ? await tooMuchDisk(browser, bounds) : null);
        // The browser may have ended during the check.
        if (reason === null || !watched.delete(browser)) continue;
        log.warn({ pid: browser.pid, reason }, 'a browser is ended because it takes too much');
        browser.end(reason);
      } catch (error) {
        // The other browsers are checked nevertheless.
        log.warn({ pid: browser.pid, err: error }, 'a browser could not be checked; the next check follows');
      }
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
    }, lookMs).unref();
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
  // An exact count is expensive; the sum of resident memory is an upper bound.
  if (group.reduce((sum, { residentBytes }) => sum + residentBytes, 0) <= memoryBytes) return null;
  const used = await getMemory(group);
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

const bytesPerKib = 1024;

/**
 * Returns the memory of a group of processes in bytes. Each process counts its proportional share of shared memory
 * (PSS). If the kernel hides this share, the process counts only memory without a file behind it.
 */
async function getMemory(group: readonly ProcessStatus[]): Promise<number> {
  const shares = await Promise.all(group.map(async (process) => (await getShare(process.pid)) ?? process.ownBytes));
  return shares.reduce((sum, bytes) => sum + bytes, 0);
}

async function getShare(pid: number): Promise<number | null> {
  try {
    const found = /^Pss:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return found === null ? null : Number(found[1]) * bytesPerKib;
  } catch {
    // Forbidden, ended or not supported by this kernel: the caller uses the estimate of the process status.
    return null;
  }
}

const bytesPerBlock = 512;

/**
 * Returns the disk usage of a folder in bytes. Does not follow links. Counts only allocated blocks, and skips files
 * that vanish during the call.
 */
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
  return found === null ? 0 : found.blocks * bytesPerBlock;
}
