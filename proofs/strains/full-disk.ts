import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '#lib/system-errors.ts';
import { onExit } from '../../tools/conformance/svc-process.ts';

/** A small file system for the data of a service, which a test can fill and empty. */
export interface SmallDisk {
  readonly folder: string;
  readonly strain: Strain;
}

const diskMegabytes = 256;
/**
 * When the allocation of the free bytes fails, it is tried with half the bytes, down to this number of bytes. The rest
 * of the disk is filled in pieces of 4096 bytes.
 */
const spareBytes = 262_144;
const piece = Buffer.alloc(4_096);

/**
 * Mounts a small file system in memory. Requires the right to mount: root, or a user namespace (`unshare --user
 * --map-root-user --mount npm run long -- strains`).
 */
export function mountSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=711`, 'svc-proof', folder], {
      stdio: 'pipe',
    });
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw new Error(
      'found no right to mount a file system, expected root or a user namespace: run this as root, or as `unshare --user --map-root-user --mount npm run long -- strains`',
      { cause: error },
    );
  }
  const unmount = (): void => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  };
  const forget = onExit(unmount);
  const filler = join(folder, 'filler');
  return {
    folder,
    strain: {
      name: 'full disk',
      what: `a file system of ${diskMegabytes} MB with all data is filled to the last block and freed again`,
      refusals: [507],
      lastsMs: [100, 2_000],
      async begin() {
        const { bavail, bsize } = statfsSync(folder);
        // The service uses some of the free space meanwhile, so the allocation may fail and is tried with half the
        // size.
        for (let bytes = bavail * bsize; bytes > spareBytes && !(await take(filler, bytes)); )
          bytes = Math.floor(bytes / 2);
        fillUp(filler);
      },
      end: async () => rmSync(filler, { force: true }),
      remove() {
        forget();
        unmount();
      },
    },
  };
}

/**
 * Allocates `bytes` more bytes at the end of a file. Returns false if the allocation fails, for example without enough
 * space.
 */
async function take(filler: string, bytes: number): Promise<boolean> {
  const offset = String(statSync(filler, { throwIfNoEntry: false })?.size ?? 0);
  const child = spawn('fallocate', ['--offset', offset, '--length', String(bytes), filler], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

function fillUp(filler: string): void {
  const file = openSync(filler, 'a');
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if (!hasCode(error, 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}

/** A temporary fault of a service's environment: a full disk, a locked database, or similar. */
export interface Strain {
  readonly name: string;
  /** Description of the strain in one line. */
  readonly what: string;
  /** Statuses with which a request may be refused during the strain. */
  readonly refusals: readonly number[];
  /** Minimum and maximum duration in milliseconds; both 0 for an instantaneous strain. */
  readonly lastsMs: readonly [number, number];
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Releases the resources of the strain on this machine, such as its mounted file system. */
  remove(): void;
}
