import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Names one process for ever: a number alone is given to another process later. */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks between the machine's start and the process's. */
  readonly startTicks: number;
}

/** Returns the mark of a living process, or null when it does not exist or is a zombie. */
export async function processMark(pid: number): Promise<ProcessMark | null> {
  const stat = await readProcFile(pid, 'stat');
  if (stat === null) return null;
  // Field 2 is the command in parentheses and may hold blanks; field 3 is the state, field 22 the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return { pid, startTicks: Number(fields[19]) };
}

/** Whether the very process that was marked still lives. */
export async function isAlive(mark: ProcessMark): Promise<boolean> {
  return (await processMark(mark.pid))?.startTicks === mark.startTicks;
}

/** The arguments that a living process was started with; empty when there is no such process. */
export async function commandLine(pid: number): Promise<string[]> {
  return ((await readProcFile(pid, 'cmdline')) ?? '').split('\0');
}

/** Kills a whole process group at once; does nothing when it has ended. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Waits until a process that is not our child has ended; rejects after the given time. It looks every 10 ms, because
 * Node has no event for the end of a process that it did not start.
 */
export async function waitForEnd(mark: ProcessMark, timeoutMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  while (await isAlive(mark)) {
    if (deadline.aborted) throw new Error(`Process ${mark.pid} is still there ${timeoutMs} ms after it was killed.`);
    await delay(10);
  }
}

async function readProcFile(pid: number, name: string): Promise<string | null> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether a file operation failed because the file, or the process that it describes, is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
}
