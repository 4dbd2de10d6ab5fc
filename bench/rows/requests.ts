import { getAnswer, getId } from '../service-access.ts';
import { type ClientRequest, startClients, type Clients } from '../clients/clients.ts';
import { race, type Race } from '../clients/race.ts';
import { startBareProcess } from '../bare-server.ts';
import { endProgram } from '../run-program.ts';
import type { BenchRow, Rounds } from '../table/bench-row.ts';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { freePort, startService } from '../../tools/conformance/svc-process.ts';

const connections = 100;
const roundMs = 1500;
/** Number of unmeasured requests before the measurement, so that V8 compiles the code of the server. */
const warmUp = 20_000;

/**
 * GET of a session and a rejected POST by a hundred clients, each against a Fastify server that sends the same response
 * body.
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
    const bare = await startBareProcess(answers);
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
 * Creation of sessions with a simulated browser by a hundred clients, against a Fastify server that inserts one durable
 * row per request. The service also responds only after its write is durable, and starts the browser meanwhile. The
 * sessions of a round are stopped before the next round.
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
    const bare = await startBareProcess({ get: {}, refusal: {}, creation: { answer, database } });
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

const key = 'svc_mock';
const headers = { 'x-service-api-key': key };
/**
 * Flags of the stateful mock, so that sessions end soon and no limit rejects a request. Prism rejects no request
 * because of a limit either.
 */
const stateful = ['--stateful', '--speed', '1000', '--sessions-max', '100000'];
const task = JSON.stringify({ task: 'Say hello' });
/** Id of the session in the example of the document. Prism responds to it. */
const example = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';
const lookAgainMs = 50;

/**
 * GET and POST of V3 sessions on the stateless and the stateful mock, each against Prism's own server with the same
 * document.
 */
export const mocks: BenchRow = {
  ids: ['mock-get', 'mock-post', 'stateful-get', 'stateful-post'],
  async measure({ rounds }) {
    const clients = startClients();
    await using owned = new AsyncDisposableStack();
    owned.defer(() => clients.end());
    const prism = await startPrism();
    owned.defer(() => endProgram(prism.child));
    const figures: Rounds[] = [];
    for (const kind of ['mock', 'stateful'] as const) {
      const flags = kind === 'stateful' ? stateful : [];
      const mock = await startService({ command: 'mock', args: ['--port', '0', '--api-key', key, ...flags] });
      owned.defer(() => mock.stop());
      const both = { ours: `${mock.address}/api/v3/sessions`, anchor: `${prism.address}/sessions`, rounds };
      figures.push(
        { id: `${kind}-get`, ...(await gets(clients, both)) },
        { id: `${kind}-post`, ...(await posts(clients, both)) },
      );
    }
    return figures;
  },
};

interface Both {
  /** URL of the V3 sessions on the mock; `anchor` is the URL of the V3 sessions on Prism. */
  readonly ours: string;
  readonly anchor: string;
  readonly rounds: number;
}

async function gets(clients: Clients, { ours, anchor, rounds }: Both): Promise<Race> {
  const id = await knownId(ours);
  return race(clients, { ours: timed(get(`${ours}/${id}`)), anchor: timed(get(`${anchor}/${example}`)), rounds });
}

function posts(clients: Clients, { ours, anchor, rounds }: Both): Promise<Race> {
  return race(clients, { ours: timed(post(ours)), anchor: timed(post(anchor)), rounds });
}

const timed = (request: ClientRequest) => ({ order: { requests: [request], connections, ms: roundMs, status: 200 } });
const get = (url: string): ClientRequest => ({ method: 'GET', url, headers });
const post = (url: string): ClientRequest => ({ method: 'POST', url, headers, body: task });

/** Creates a session on a mock and returns the id, because the stateful mock knows only created sessions. */
async function knownId(sessions: string): Promise<string> {
  const response = await fetch(sessions, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: task,
  });
  return getId(await response.json());
}

interface Started {
  readonly child: ChildProcess;
  readonly address: string;
}

/** Starts Prism by its command line, as its users do, and waits until Prism responds. */
async function startPrism(): Promise<Started> {
  const port = await freePort();
  const args = ['node_modules/.bin/prism', 'mock', '-v', 'silent', '-p', String(port), 'generated/openapi/v3.json'];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const address = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`prism ended with ${child.exitCode}`);
    const status = await fetch(`${address}/sessions/${example}`, { headers }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return { child, address };
    if (status !== 0) {
      await endProgram(child);
      throw new Error(`prism answered ${status}, expected 200`);
    }
    await setTimeout(lookAgainMs);
  }
}
