import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type JsonObject, isJsonObject, parseJson } from '../../conformance/core/json.ts';

/** One control URL for several processes. */
export interface ControlOfAll {
  readonly address: string;
  /** Sets the processes; new ones receive the active faults. */
  point(controls: readonly string[]): Promise<void>;
  /** Resolves when no active fault is unknown to a new process. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

/** Commands for one process only: their fault belongs to a session and is routed to its owner. */
const forOne = new Set(['crashSession']);

/**
 * Starts a control server that passes requests on to every process. With `movesClock` false it refuses to move the
 * clock, because processes that start later would not know the time.
 */
export async function startControlOfAll(movesClock: boolean): Promise<ControlOfAll> {
  let controls: readonly string[] = [];
  let faults: JsonObject = {};
  let isCalm = Promise.withResolvers<void>();
  isCalm.resolve();
  const note = (body: JsonObject): void => {
    if (body['sandboxStart'] === undefined) return;
    const isOver = body['sandboxStart'] === null;
    faults = isOver ? {} : body;
    if (isOver) isCalm.resolve();
    else isCalm = Promise.withResolvers();
  };
  const handle = async (request: IncomingMessage): Promise<Passed> => {
    const { method = 'GET', url = '/' } = request;
    if (url === '/clock' && !movesClock) return { status: 404, body: '{"error":"the clock stays as it is"}' };
    const body = await text(request);
    const read = parseJson(body);
    const told = isJsonObject(read) ? read : {};
    if (url === '/faults') note(told);
    const first = Object.keys(told).some((name) => forOne.has(name));
    const answers = await Promise.all(
      controls.slice(0, first ? 1 : undefined).map((to) => pass(`${to}${url}`, method, body)),
    );
    return answers.find(({ status }) => status >= 300) ?? answers[0] ?? { status: 503, body: '' };
  };
  const server = createServer((request, response) => void send(response, handle(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new TypeError('found no port');
  return {
    address: `http://127.0.0.1:${place.port}`,
    async point(next) {
      const fresh = next.filter((one) => !controls.includes(one));
      controls = next;
      if (faults['sandboxStart'] === undefined) return;
      await Promise.all(fresh.map((to) => pass(`${to}/faults`, 'POST', JSON.stringify(faults))));
    },
    calm: () => isCalm.promise,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Passed {
  readonly status: number;
  readonly body: string;
}

async function pass(url: string, method: string, body: string): Promise<Passed> {
  const sent = body === '' ? {} : { body, headers: { 'content-type': 'application/json' } };
  const answer = await fetch(url, { method, ...sent });
  return { status: answer.status, body: await answer.text() };
}

/** Sends the response of the processes; a killed process yields an error response. */
async function send(response: ServerResponse, passed: Promise<Passed>): Promise<void> {
  const [outcome] = await Promise.allSettled([passed]);
  const { status, body } =
    outcome.status === 'fulfilled'
      ? outcome.value
      : { status: 502, body: JSON.stringify({ error: String(outcome.reason) }) };
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
