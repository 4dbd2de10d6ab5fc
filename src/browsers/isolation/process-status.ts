import { readdir, readFile } from 'node:fs/promises';
import { unlessMissing } from '#lib/system-errors.ts';

/** Status of one process as reported by the kernel (proc_pid_status(5)). Memory is in bytes. */
export interface ProcessStatus {
  readonly pid: number;
  /** Id of the process group, which is the id of its first process. */
  readonly group: number;
  readonly uid: number;
  /** Resident memory, including shared memory. */
  readonly residentBytes: number;
  /** Resident memory that no file backs. */
  readonly ownBytes: number;
  /** Whether system calls are filtered (seccomp-bpf). */
  readonly isFiltered: boolean;
  /** Whether the kernel prevents the process and its children from gaining privileges (`no_new_privs`). */
  readonly gainsNoRights: boolean;
  /** Depth of the process-id namespace of the process, counted from that of the service: 1 for the same namespace. */
  readonly pidNamespaces: number;
}

const filterMode = 2;
const bytesPerKib = 1024;

/** Lists all visible processes of the machine; empty without /proc. */
export async function listProcesses(): Promise<ProcessStatus[]> {
  const names = await readdir('/proc').catch(unlessMissing<string[]>([]));
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => processStatus(Number(name))),
  );
  return found.filter((status) => status !== null);
}

/** Returns the status of a process; null for an ended or zombie process. The memory of a kernel thread counts as 0. */
export async function processStatus(pid: number): Promise<ProcessStatus | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(unlessMissing(null));
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
    residentBytes: first('VmRSS') * bytesPerKib,
    ownBytes: (first('RssAnon') + first('RssShmem')) * bytesPerKib,
    isFiltered: first('Seccomp') === filterMode,
    gainsNoRights: first('NoNewPrivs') === 1,
    pidNamespaces: Math.max(numbers('NSpid').length, 1),
  };
}
