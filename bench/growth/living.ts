import { setTimeout } from 'node:timers/promises';
import { startClients } from '../clients/clients.ts';
import { heldBytes, processorSeconds } from '../process-usage.ts';
import { createStage } from '../table/stage.ts';
import type { Grown } from './grown.ts';

const sizes = [100, 1000, 10_000];
const restMs = 5000;
const kibibyte = 1024;

/**
 * Measures the creation time, memory and idle processor time per active session, with 100, 1000 and 10,000 sessions.
 */
export async function measureLivingGrowth(): Promise<Grown[]> {
  await using stage = createStage(1);
  const { address, key, pid } = await stage.service('living', '--hosts', 'simulated', '--sessions-max', '100000');
  const headers = { 'x-service-api-key': key };
  const request = { method: 'POST', url: `${address}/api/v3/sessions`, headers, body: '{"keepAlive":true}' } as const;
  const clients = startClients();
  const create = (count: number): ReturnType<typeof clients.send> =>
    clients.send({ requests: Array.from({ length: count }, () => request), connections: 10, status: 200 });
  const figures = { create: new Array<number>(), memory: new Array<number>(), rest: new Array<number>() };
  try {
    // The first sessions load code and data that a service loads only once.
    await create(200);
    const [idleShare, idleBytes] = [await getShare(pid), await heldBytes(pid)];
    let living = 0;
    for (const size of sizes) {
      const { ms } = await create(size - living);
      figures.create.push(ms / (size - living));
      living = size;
      figures.memory.push(Math.max(0, (await heldBytes(pid)) - idleBytes) / living / kibibyte);
      figures.rest.push((Math.max(0, (await getShare(pid)) - idleShare) * 1_000_000) / living);
    }
  } finally {
    clients.end();
  }
  const common = { of: 'living sessions', sizes };
  return [
    { ...common, figure: 'creation of a session', costs: figures.create, unit: 'ms' },
    { ...common, figure: 'memory of a session', costs: figures.memory, unit: 'KiB' },
    { ...common, figure: 'processor time of a session at rest, a second', costs: figures.rest, unit: 'us' },
  ];
}

/** Returns the share of one processor that an idle service uses. */
async function getShare(pid: number): Promise<number> {
  const [before, begun] = [processorSeconds(pid), performance.now()];
  await setTimeout(restMs);
  return ((processorSeconds(pid) - before) * 1000) / (performance.now() - begun);
}
