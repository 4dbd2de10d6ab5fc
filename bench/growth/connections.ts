import { getAnswer, getId } from '../service-access.ts';
import { type ClientRequest, type Clients, startClients } from '../clients/clients.ts';
import { createStage } from '../table/stage.ts';
import type { Grown } from './grown.ts';
import { getMedian } from '../../tools/measure/evidence.ts';

const sizes = [10, 100, 1000];
const roundMs = 1500;
const rounds = 5;

/** Measures the time per request with 10, 100 and 1000 clients, each of which always has one pending request. */
export async function measureConnectionGrowth(): Promise<Grown[]> {
  await using stage = createStage(rounds);
  const limits = ['--connections-per-address', '5000', '--sessions-max', '100000'];
  const { address, key } = await stage.service('connections', '--hosts', 'simulated', ...limits);
  const headers = { 'x-service-api-key': key };
  const url = `${address}/api/v3/sessions`;
  const creation = { method: 'POST', url, headers, body: '{"keepAlive":true}' } as const;
  const json = { ...headers, 'content-type': 'application/json' };
  const session = getId(await getAnswer(url, { method: 'POST', headers: json, body: creation.body }, 200));
  const refused = JSON.stringify({ task: 'x', model: 'minimax-m3', thinkingLevel: 'low' });
  const clients = startClients();
  const stop = async (ids: readonly string[]): Promise<void> => {
    const requests = ids.map((id) => ({ method: 'POST', url: `${url}/${id}/stop`, headers }) as const);
    await clients.send({ requests, connections: 20, status: 200 });
  };
  const getGrown = async (asked: Asked): Promise<Grown> => {
    const costs = await getCosts(clients, asked);
    return { figure: asked.figure, of: 'connections', sizes, costs, unit: 'us' };
  };
  try {
    return [
      await getGrown({
        figure: 'GET of a session',
        request: { method: 'GET', url: `${url}/${session}`, headers },
        status: 200,
      }),
      await getGrown({
        figure: 'refused creation of a session',
        request: { ...creation, body: refused },
        status: 422,
      }),
      await getGrown({ figure: 'creation of a session', request: creation, status: 200, tidy: stop }),
    ];
  } finally {
    clients.end();
  }
}

/** A request that the clients send repeatedly. */
interface Asked {
  readonly figure: string;
  readonly request: ClientRequest;
  readonly status: number;
  /**
   * Called after each measurement of one number of connections, with the ids of the records that this measurement has
   * created, to remove these records. @defaultValue nothing
   */
  readonly tidy?: (ids: readonly string[]) => Promise<void>;
}

/**
 * Returns, for each number of connections, the median of the elapsed time per response in microseconds. Each round
 * measures every number of connections.
 */
async function getCosts(clients: Clients, { request, status, tidy }: Asked): Promise<number[]> {
  const times = sizes.map(() => new Array<number>());
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, connections] of sizes.entries()) {
      const order = { requests: [request], connections, ms: roundMs, status, keepBodies: tidy !== undefined };
      const { answers, ms, bodies } = await clients.send(order);
      await tidy?.(bodies.map((text) => getId(JSON.parse(text))));
      if (round > 0) times[index]?.push((ms * 1000) / answers);
    }
  return times.map(getMedian);
}
