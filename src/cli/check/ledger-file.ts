import { appendFileSync, closeSync, existsSync, fdatasync, openSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { type LedgerEntry, SuiteError } from '#conformance/index.ts';
import { hasCode } from '#lib/system-errors.ts';

const toDisk = promisify(fdatasync);

/** A file that lists the resources that a run has created. `svc clean` reads it after a crash. */
export interface LedgerFile {
  /**
   * Appends the state of an entry. For a new entry, resolves when the line is on the disk, and rejects if this write or
   * an earlier write has failed. For a changed entry, resolves at once.
   */
  book(changed: LedgerEntry): Promise<void>;
  /** Removes the file: when the run has left nothing, or when its report contains what it has left. */
  remove(): Promise<void>;
}

/** First line of a ledger file. */
export interface LedgerHead {
  target: { url: string };
  stamp: string;
}

/**
 * Returns the path of the ledger file beside a JSON report; undefined without a report file. Throws SuiteError `usage`
 * if the file exists: a run still writes it, was killed, or could not write its report, and only this file lists the
 * resources of that run.
 */
export function findLedgerPath(json: string | undefined): string | undefined {
  if (json === undefined || json === '-') return undefined;
  const file = `${json}.ledger`;
  if (existsSync(file)) throw ofAnotherRun(file);
  return file;
}

/** Creates the file. Throws SuiteError `usage` if another run has created it since {@link findLedgerPath} looked. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? ofAnotherRun(file) : error;
  }
}

function ofAnotherRun(file: string): SuiteError {
  return new SuiteError('usage', {
    found: `${file}, which lists the resources of a run that has not ended, or not written its report`,
    expected: 'the name of a new report, or of a run that has ended',
    next: `if that run is over, end them with \`svc clean ${file}\`, and delete the file`,
  });
}

/**
 * Creates a ledger file. Each entry is one appended line, so that a crash damages no earlier line and the cost per
 * entry stays constant. Entries of one event-loop tick are written together, and concurrent entries share one sync.
 */
export function createLedgerFile(file: string, head: LedgerHead): LedgerFile {
  let descriptor: number | undefined;
  const numbers = new Map<LedgerEntry, number>();
  let syncing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  /** Lines that are written at the end of the current event-loop tick. */
  let lines = '';
  /** Error of a failed write; undefined without one. */
  let failure: unknown;

  function begin(): number {
    descriptor = openNew(file);
    // Writes the pending lines also when the process exits before the end of the tick.
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
      if (descriptor !== undefined && lines !== '') appendFileSync(descriptor, lines);
      lines = '';
    } catch (error) {
      // The next sync reports the error, and the run sends no more requests.
      failure ??= error;
    }
  }

  // A running sync may miss the latest line, so callers wait for the next sync, and share it.
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
    book: async (changed) => {
      const known = numbers.get(changed);
      const n = known ?? numbers.size;
      numbers.set(changed, n);
      const open = descriptor ?? begin();
      add({ n, ...changed });
      if (known === undefined) await synced(open);
    },
    remove: async () => {
      // A sync may still be running or planned; the file stays open until that sync has ended.
      await Promise.allSettled([next, syncing]);
      // The file of another run stays.
      if (descriptor === undefined) return;
      closeSync(descriptor);
      descriptor = undefined;
      process.off('exit', write);
      rmSync(file, { force: true });
    },
  };
}
