import { Pool } from 'undici';
import { parseJson } from '../../conformance/harness/json.ts';
import { createFaults } from './fuzz-faults.ts';
import { startFuzzedService } from './fuzzed-service.ts';
import type { FuzzedRequest } from './fuzzed-request.ts';
import { furnish } from './furnish.ts';
import { createSender } from './send-and-judge.ts';
import { createWorld } from './world.ts';

/** Sends one request, as it was printed with a fault, to a service with one of each thing; true when nothing is wrong this time. */
export async function replay(text: string): Promise<boolean> {
  const request = read(text);
  const service = await startFuzzedService();
  const pool = new Pool(service.address, { connections: 1 });
  try {
    const world = createWorld(service.key);
    await furnish(pool, world);
    const [statuses, faults] = [new Map<number, number>(), createFaults(0)];
    const found = await createSender({ service, pool, world, faults, statuses, succeeded: new Set() })(request, 0);
    console.log(`answered ${[...statuses.keys()].join(', ')}; ${found.length} faults`);
    for (const line of service.errors) console.error(line);
    return found.length === 0 && service.errors.length === 0;
  } finally {
    await pool.close();
    await service.stop();
  }
}

/** A request as it was printed; throws for anything else. */
function read(text: string): FuzzedRequest {
  const value = parseJson(text);
  const isRequest = typeof value === 'object' && value !== null && 'kind' in value;
  if (!isRequest) throw new Error('expected a request as it is printed with a fault');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not ours fails where it is sent
  return value as unknown as FuzzedRequest;
}
