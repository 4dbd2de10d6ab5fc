import { setTimeout } from 'node:timers/promises';
import { processStatus } from '../src/browsers/isolation/process-status.ts';

const collections = 3;
const collectionMs = 400;

/** Memory that a process shares with nobody, after it has thrown away what nobody uses; it has to be started with `collect-on-signal.ts`. */
export async function heldBytes(pid: number): Promise<number> {
  for (let round = 0; round < collections; round += 1) {
    process.kill(pid, 'SIGUSR2');
    // It does not say when it has done it; this is a measurement and no test.
    await setTimeout(collectionMs);
  }
  return (await processStatus(pid))?.ownBytes ?? Number.NaN;
}
