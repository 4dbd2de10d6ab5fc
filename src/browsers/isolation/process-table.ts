import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, unlessMissing } from '#lib/system-errors.ts';

/** Permanent identity of a process. A process id alone can later belong to another process. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in clock ticks since the machine started. */
  readonly startTicks: number;
}

/** Returns the process id and start time of a living process; null when the process does not exist or is a zombie. */
export async function processMark(pid: number): Promise<ProcessMark | null> {
  const stat = await readProcFile(pid, 'stat');
  if (stat === null) return null;
  // Field 2 is the command in parentheses and may contain blanks; field 3 is the state, field 22 the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return { pid, startTicks: Number(fields[19]) };
}

/** Returns whether the marked process is still alive. */
export async function isAlive(mark: ProcessMark): Promise<boolean> {
  return (await processMark(mark.pid))?.startTicks === mark.startTicks;
}

/**
 * Returns the command-line arguments of a process, followed by an empty string. Returns only the empty string for a
 * process that does not exist.
 */
export async function commandLine(pid: number): Promise<string[]> {
  return ((await readProcFile(pid, 'cmdline')) ?? '').split('\0');
}

/** Kills a process group; does nothing when the group has ended. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/**
 * Waits for the end of a process that is not a child of the service. Checks every 10 ms, because Node has no event for
 * this end. Rejects after the timeout.
 */
export async function waitForEnd(mark: ProcessMark, timeoutMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  while (await isAlive(mark)) {
    if (deadline.aborted) throw new Error(`Process ${mark.pid} is still there ${timeoutMs} ms after it was killed.`);
    await delay(10);
  }
}

function readProcFile(pid: number, name: string): Promise<string | null> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(unlessMissing(null));
}
