import { setTimeout } from 'node:timers/promises';
import { endAll } from '../service/end-all.ts';
import { countFiles } from './measure-held.ts';
import type { FuzzedService } from './fuzzed-service.ts';
import { readRows } from './read-rows.ts';

const dayMs = 86_400_000;
/** Longer than every period after which something of a deleted thing may go. */
const daysUntilOld = 40;
/** A turn of the sweeper removes a bounded part, and the next one comes this much later by its clock. */
const turnMs = 2_000;
const lookMs = 100;
/** So many looks that find no change in a row: nothing is being removed any more. */
const quietLooks = 20;
const looksMax = 6_000;

/** Ends everything, lets so much time pass that all of it is old, and waits until the service has removed what it removes by itself. */
export async function settle(service: FuzzedService): Promise<void> {
  await endAll(service.call, 0);
  await service.advance(daysUntilOld * dayMs);
  let [before, quiet] = ['', 0];
  for (let look = 0; quiet < quietLooks; look += 1) {
    if (look > looksMax) throw new Error('what is old is still being removed');
    await service.advance(turnMs);
    await setTimeout(lookMs);
    const now = JSON.stringify([...readRows(service.dataFolder), countFiles(service.dataFolder)]);
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
}
