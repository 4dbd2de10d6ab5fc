import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { LedgerEntry } from '#conformance/index.ts';

/** A ledger on the disk, for `svc clean` after a crash. */
export interface LedgerFile {
  book(changed: LedgerEntry): void;
  /** Removes the file: the report says it all. */
  remove(): void;
}

/** What a ledger file begins with. */
export interface LedgerHead {
  target: { url: string };
  stamp: string;
}

/**
 * Begins a ledger file. Every booking is one line behind the last, so that the work does not grow with their number and a line that is
 * whole stays whole; what is new is on the disk before its request is sent.
 */
export function createLedgerFile(file: string, head: LedgerHead): LedgerFile {
  let descriptor: number | undefined;
  const numbers = new Map<LedgerEntry, number>();

  function begin(): number {
    descriptor = openSync(file, 'w', 0o600);
    writeSync(descriptor, `${JSON.stringify(head)}\n`);
    return descriptor;
  }

  return {
    book: (changed) => {
      const known = numbers.get(changed);
      const n = known ?? numbers.size;
      numbers.set(changed, n);
      const open = descriptor ?? begin();
      writeSync(open, `${JSON.stringify({ n, ...changed })}\n`);
      if (known === undefined) fdatasyncSync(open);
    },
    remove: () => {
      if (descriptor !== undefined) closeSync(descriptor);
      rmSync(file, { force: true });
    },
  };
}
