import { endAll } from '../service/end-all.ts';
import type { FuzzedService } from './fuzzed-service.ts';
import { readRows } from './read-rows.ts';

const dayMs = 86_400_000;
/** Longer than every period after which something of a deleted thing may go. */
const daysUntilOld = 40;
const soonMs = 2_000;
const roundsMax = 2_000;

/** Ends everything, lets so much time pass that all of it is old, and waits until the service has removed what it removes by itself. */
export async function settle(service: FuzzedService): Promise<void> {
  await endAll(service.call, 0);
  await service.advance(daysUntilOld * dayMs);
  // A turn of the sweeper removes a bounded part: rounds follow until three of them changed nothing.
  let [before, quiet] = ['', 0];
  for (let round = 0; quiet < 3; round += 1) {
    if (round > roundsMax) throw new Error('what is old is still being removed');
    await service.advance(soonMs);
    await service.call('GET', 'v4/browsers');
    const now = JSON.stringify([...readRows(service.dataFolder)]);
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
  // Hourly work that waits for its next turn.
  await service.advance(3_600_000);
}
