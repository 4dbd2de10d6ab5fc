import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Command lines of living processes that name a folder; empty where the system has no /proc. */
export function leftProcesses(folder: string): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(folder));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    // It ended while we looked.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}
