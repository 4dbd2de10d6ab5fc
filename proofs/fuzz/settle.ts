import { setTimeout } from 'node:timers/promises';
import { endAll } from '../service/end-all.ts';
import { countFiles, readRows } from './measure-held.ts';
import type { FuzzedService } from './fuzzed-service.ts';

const dayMs = 86_400_000;
/** Days after which the service has removed all data of a deleted record. */
const daysUntilOld = 40;
/**
 * Milliseconds by which the service's clock advances before each observation: the interval of the sweeper. Each sweep
 * removes a bounded number of records.
 */
const turnMs = 2_000;
const lookMs = 100;
/** Number of consecutive observations without a change after which the service is at rest. */
const quietLooks = 20;
const looksMax = 6_000;

/**
 * Ends all work of a service, advances the clock beyond every retention period, and waits until retention removes
 * nothing more. Rejects if the retention still removes something after `looksMax` observations.
 */
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
