import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { processStatus } from '#browsers/isolation/process-status.ts';

/** Clock ticks per second in /proc on Linux. */
const ticksPerSecond = 100;

/** Returns the processor time in seconds that a process and its living descendants have used so far. */
export function processorSeconds(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? getStat(Number(name)) : []));
  const sum = (id: number): number =>
    all
      .filter(({ pid: own, parent }) => own === id || parent === id)
      .reduce((ticks, process) => ticks + (process.pid === id ? process.ticks : sum(process.pid)), 0);
  return sum(pid) / ticksPerSecond;
}

function getStat(pid: number): { pid: number; parent: number; ticks: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2 is the command in parentheses and may contain blanks; field 4 is the parent, 14 and 15 are the times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
  } catch {
    // The process ended meanwhile.
    return [];
  }
}

const collections = 3;
const collectionMs = 400;

/**
 * Returns the private memory of a process in bytes after three garbage collections; NaN if the memory cannot be read.
 * The process must be started with `collect-on-signal.ts`.
 */
export async function heldBytes(pid: number): Promise<number> {
  for (let round = 0; round < collections; round += 1) {
    process.kill(pid, 'SIGUSR2');
    // The process does not report the end of a collection; this is a measurement and no test.
    await setTimeout(collectionMs);
  }
  return (await processStatus(pid))?.ownBytes ?? Number.NaN;
}
