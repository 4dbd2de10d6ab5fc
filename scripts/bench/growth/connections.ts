import { answerOf, idOf } from '../answer-of.ts';
import { startClients } from '../clients/clients.ts';
import { createStage } from '../table/stage.ts';
import { medianOf } from '../table/summarise.ts';
import type { Grown } from './grown.ts';

const sizes = [10, 100, 1000];
const roundMs = 1500;
const rounds = 5;

/** What a request takes of the service when 10, 100 and 1000 clients ask as fast as they are answered. */
export async function growthOfConnections(): Promise<Grown[]> {
  await using stage = createStage(rounds);
  const limits = ['--connections-per-address', '5000', '--sessions-max', '100000'];
  const { address, key } = await stage.service('connections', '--hosts', 'simulated', ...limits);
  const headers = { 'x-service-api-key': key };
  const url = `${address}/api/v3/sessions`;
  const init = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"keepAlive":true}',
  };
  const request = { method: 'GET', url: `${url}/${idOf(await answerOf(url, init, 200))}`, headers } as const;
  const clients = startClients();
  const times = sizes.map(() => new Array<number>());
  try {
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, connections] of sizes.entries()) {
        const { answers, ms } = await clients.send({ requests: [request], connections, ms: roundMs, status: 200 });
        if (round > 0) times[index]?.push((ms * 1000) / answers);
      }
  } finally {
    clients.end();
  }
  return [{ figure: 'GET of a session', of: 'connections', sizes, costs: times.map(medianOf), unit: 'us' }];
}
