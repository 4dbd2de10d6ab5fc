import { readdir, readFile } from 'node:fs/promises';
import { isMissing } from './process-table.ts';

/** What the kernel says of one process (proc_pid_status(5)). Memory is in bytes. */
export interface ProcessStatus {
  readonly pid: number;
  /** Its process group, by the number of the group's first process. */
  readonly group: number;
  readonly uid: number;
  /** Memory that is in use, what it shares with others included. */
  readonly residentBytes: number;
  /** The part that no file stands behind. */
  readonly ownBytes: number;
  /** Whether system calls are filtered (seccomp-bpf). */
  readonly isFiltered: boolean;
  /** Whether it and its children can never gain rights. */
  readonly gainsNoRights: boolean;
  /** Process-id namespaces around it, ours included: 1 for a process in ours. */
  readonly pidNamespaces: number;
}

const FILTER_MODE = 2;
const BYTES_PER_KIB = 1024;

/** All processes of the machine that can be seen; empty where there is no /proc. */
export async function listProcesses(): Promise<ProcessStatus[]> {
  const names = await readdir('/proc').catch(orMissing<string[]>([]));
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => processStatus(Number(name))),
  );
  return found.filter((status) => status !== null);
}

/** Returns a process; null for an ended one, zombies included. A kernel thread has no memory. */
export async function processStatus(pid: number): Promise<ProcessStatus | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(orMissing(null));
  if (text === null || text === '') return null;
  const fields = new Map(text.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*:\s*/, '')]));
  if (/^[ZX]/.test(fields.get('State') ?? '')) return null;
  const numbers = (name: string): number[] =>
    (fields.get(name) ?? '')
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => Number.parseInt(word, 10));
  const first = (name: string): number => numbers(name)[0] ?? 0;
  return {
    pid,
    group: first('NSpgid'),
    uid: first('Uid'),
    residentBytes: first('VmRSS') * BYTES_PER_KIB,
    ownBytes: (first('RssAnon') + first('RssShmem')) * BYTES_PER_KIB,
    isFiltered: first('Seccomp') === FILTER_MODE,
    gainsNoRights: first('NoNewPrivs') === 1,
    pidNamespaces: Math.max(numbers('NSpid').length, 1),
  };
}

/** A process that ends while it is read is not there; everything else is an error. */
function orMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return instead;
    throw error;
  };
}
