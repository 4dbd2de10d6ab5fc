import { closeSync, fdatasync, openSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { LedgerEntry } from '#conformance/index.ts';

const toDisk = promisify(fdatasync);

/** A ledger on the disk, for `svc clean` after a crash. */
export interface LedgerFile {
  /** Settles when the entry is on the disk; what only changes an entry is not waited for. */
  book(changed: LedgerEntry): Promise<void>;
  /** Removes the file: the report says it all. */
  remove(): Promise<void>;
}

/** What a ledger file begins with. */
export interface LedgerHead {
  target: { url: string };
  stamp: string;
}

/**
 * Begins a ledger file. Every booking is one line behind the last, so that the work does not grow with their number and a line that is
 * whole stays whole. Bookings of one turn of the event loop are written at once, and those of the same moment share one wait for the disk.
 */
export function createLedgerFile(file: string, head: LedgerHead): LedgerFile {
  let descriptor: number | undefined;
  const numbers = new Map<LedgerEntry, number>();
  let syncing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  /** Lines of this turn of the event loop, which are written at once. */
  let lines = '';
  /** Why they could not be. */
  let failure: unknown;

  function begin(): number {
    descriptor = openSync(file, 'w', 0o600);
    // Also where the process ends in the middle of a turn.
    process.once('exit', write);
    add(head);
    return descriptor;
  }

  function add(line: object): void {
    if (lines === '') setImmediate(write);
    lines += `${JSON.stringify(line)}\n`;
  }

  function write(): void {
    try {
      if (descriptor !== undefined && lines !== '') writeSync(descriptor, lines);
      lines = '';
    } catch (error) {
      // The next sync reports it: nothing more is sent.
      failure ??= error;
    }
  }

  // A running sync may miss the latest line, so callers share the next one.
  function synced(open: number): Promise<void> {
    next ??= Promise.allSettled([syncing]).then(() => {
      next = undefined;
      write();
      if (failure !== undefined) throw failure;
      syncing = toDisk(open);
      return syncing;
    });
    return next;
  }

  return {
    book: (changed) => {
      const known = numbers.get(changed);
      const n = known ?? numbers.size;
      numbers.set(changed, n);
      const open = descriptor ?? begin();
      add({ n, ...changed });
      return known === undefined ? synced(open) : Promise.resolve();
    },
    remove: async () => {
      // An entry for which nothing was sent may still be on its way.
      await Promise.allSettled([next, syncing]);
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      process.off('exit', write);
      rmSync(file, { force: true });
    },
  };
}
