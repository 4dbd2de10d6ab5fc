import { getAnswer, getId } from '../service-access.ts';
import { type ClientRequest, startClients, type Clients } from '../clients/clients.ts';
import { race } from '../clients/race.ts';
import { startBare } from '../bare-server.ts';
import type { BenchRow } from '../table/bench-row.ts';
import { join } from 'node:path';

const connections = 100;
const roundMs = 1500;
/** Requests before the measurement, until the code is compiled. */
const warmUp = 20_000;

/**
 * GET of a session and a rejected POST by a hundred clients, each against a server of the same framework that sends the
 * same bytes.
 */
export const requests: BenchRow = {
  ids: ['get-session', 'refused-post'],
  async measure(stage) {
    const { address, key } = await stage.service('simulated', '--hosts', 'simulated', '--sessions-max', '100000');
    const headers = { 'x-service-api-key': key };
    const sessions = `${address}/api/v3/sessions`;
    const post = (body: object): RequestInit => ({
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const wrong = { task: 'x', model: 'minimax-m3', thinkingLevel: 'low' };
    const session = `${sessions}/${getId(await getAnswer(sessions, post({ keepAlive: true }), 200))}`;
    const answers = {
      get: await getAnswer(session, { headers }, 200),
      refusal: await getAnswer(sessions, post(wrong), 422),
    };
    const bare = await startBare(answers);
    const clients = startClients();
    const timed = (request: ClientRequest, status: number) => ({
      order: { requests: [request], connections, ms: roundMs, status },
      warmUp,
    });
    const refused = { method: 'POST', headers, body: JSON.stringify(wrong) } as const;
    try {
      const get = await race(clients, {
        ours: timed({ method: 'GET', url: session, headers }, 200),
        anchor: timed({ method: 'GET', url: `${bare.address}/session`, headers }, 200),
        rounds: stage.rounds,
      });
      const refusals = await race(clients, {
        ours: timed({ ...refused, url: sessions }, 422),
        anchor: timed({ ...refused, url: `${bare.address}/refused` }, 422),
        rounds: stage.rounds,
      });
      return [
        { id: 'get-session', ...get },
        { id: 'refused-post', ...refusals },
      ];
    } finally {
      clients.end();
      bare.stop();
      await getAnswer(`${session}/stop`, { headers, method: 'POST' }, 200);
    }
  },
};

const creationClients = 100;
const creationRoundMs = 1500;

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
    const order = { connections: creationClients, ms: creationRoundMs, status: 200 };
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
  const stops = ids.map((id) => ({ method: 'POST', url: `${url}/${id}/stop`, headers }) as const);
  return clients.send({ requests: stops, connections: 20, status: 200 });
}
