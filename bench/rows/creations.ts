import { join } from 'node:path';
import { getAnswer, getId } from '../service-access.ts';
import { type Clients, startClients } from '../clients/clients.ts';
import { race } from '../clients/race.ts';
import { startBare } from '../start-bare.ts';
import type { BenchRow } from '../table/bench-row.ts';

const connections = 100;
const roundMs = 1500;

/**
 * Sessions with a simulated browser, created by a hundred clients, against a server of the same framework that inserts
 * one durable row for each. The service also answers only after its write is durable, and starts the browser meanwhile.
 * Sessions of a round are stopped before the next.
 */
export const creations: BenchRow = {
  ids: ['create'],
  async measure(stage) {
    const { address, key } = await stage.service('simulated', '--hosts', 'simulated', '--sessions-max', '100000');
    const headers = { 'x-service-api-key': key };
    const url = `${address}/api/v3/sessions`;
    const body = JSON.stringify({ keepAlive: true });
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const answer = await getAnswer(url, init, 200);
    const database = join(stage.folder('bare-creations'), 'things.sqlite');
    const bare = await startBare({ get: {}, refusal: {}, creation: { answer, database } });
    const clients = startClients();
    const stop = (ids: readonly string[]): Promise<unknown> => stopAll(clients, { url, headers, ids });
    const order = { connections, ms: roundMs, status: 200 };
    try {
      const raced = await race(clients, {
        ours: {
          order: { ...order, requests: [{ method: 'POST', url, headers, body }] },
          tidy: async (bodies) => void (await stop(bodies.map((text) => getId(JSON.parse(text))))),
        },
        anchor: { order: { ...order, requests: [{ method: 'POST', url: `${bare.address}/created`, headers, body }] } },
        rounds: stage.rounds,
      });
      return [{ id: 'create', ...raced }];
    } finally {
      await stop([getId(answer)]);
      clients.end();
      bare.stop();
    }
  },
};

function stopAll(
  clients: Clients,
  {
    url,
    headers,
    ids,
  }: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly ids: readonly string[] },
): Promise<unknown> {
  const requests = ids.map((id) => ({ method: 'POST', url: `${url}/${id}/stop`, headers }) as const);
  return clients.send({ requests, connections: 20, status: 200 });
}
