import { getAnswer, getId } from '../service-access.ts';
import { type ClientRequest, startClients } from '../clients/clients.ts';
import { race } from '../clients/race.ts';
import { startBare } from '../start-bare.ts';
import type { BenchRow } from '../table/bench-row.ts';

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
