/** The HTTP edge: reads a request, checks its key, finds the operation, writes the answer. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { identify, type Request } from './admission.ts';
import { beside } from './beside.ts';
import { type Answer, type Call, Invalid, Refusal } from './call.ts';
import { serveDevTools } from './cdp.ts';
import { concludeRecord } from './combined-records.ts';
import { actWithoutKey, beginCombined, concludeCombined } from './combined-requests.ts';
import { showEffects } from './effect-views.ts';
import { beginEffects, concludeEffects, serveOtherMethod } from './effects.ts';
import { beginRunJobs, concludeRunJobs } from './jobs-runs.ts';
import { beginSessionJobs, concludeSessionJobs } from './jobs-sessions.ts';
import { begin, conclude, noJson } from './moments.ts';
import { beginPlain, concludePlain } from './plain-sessions.ts';
import { beginResources, concludeResources } from './resources.ts';
import { type Route, routes } from './routes.ts';
import { concludeStatements } from './statement-answers.ts';
import { beginStatements } from './statement-requests.ts';
import { beginRunStatements, concludeRunStatements } from './statement-runs.ts';
import { beginSessionStatements, concludeSessionStatements } from './statement-sessions.ts';
import { answerAtEdge, beginUnbiasedOthers, concludeUnbiasedOthers } from './unbiased-others.ts';
import { unprocessable } from './unprocessable.ts';
import { beginUnbiasedSessions, concludeUnbiasedSessions } from './unbiased-sessions.ts';
import type { World } from './world.ts';

const bodyMax = 1_048_576;

/** Starts the HTTP server of an independent server on a free loopback port, and stores its URL in `world`. */
export async function listen(world: World): Promise<Server> {
  const server = createServer((incoming, response) => {
    respond(world, incoming, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ detail: String(error) }));
    });
  });
  // The suite runs in this process. With a time-out, a busy event loop could close an idle connection just when the
  // suite uses it.
  server.keepAliveTimeout = 0;
  serveDevTools(world, server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  world.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return server;
}

async function respond(world: World, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  incoming.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= bodyMax) chunks.push(chunk);
  });
  await once(incoming, 'end');
  const url = new URL(incoming.url ?? '/', world.url);
  const bytes = Buffer.concat(chunks);
  const faulty = answerAtEdge(world, incoming, bytes);
  const request = { method: incoming.method ?? 'GET', url, headers: incoming.headers, bytes };
  const isTooLong = length > bodyMax;
  const answer = isTooLong ? { status: 413, body: { detail: 'Too large' } } : (faulty ?? answerTo(world, request));
  write(response, answer);
}

function write(response: ServerResponse, answer: Answer): void {
  const isRaw = Buffer.isBuffer(answer.body);
  const body = isRaw ? answer.body : answer.body === undefined ? '' : JSON.stringify(answer.body);
  const type = answer.body === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(answer.status, { ...type, ...answer.headers });
  response.end(body);
}

function answerTo(world: World, request: Request): Answer {
  const outside = beside(world, request);
  if (outside) return outside;
  const generation = /^\/api\/v[234]\//.exec(request.url.pathname);
  const found = match(request);
  const project = identify(world, request, found?.route.operation ?? '');
  if (!project) {
    if (!generation) return { status: 404, body: { detail: 'Not Found' } };
    if (found) actWithoutKey(world, found, request.bytes);
    return {
      status: world.dialect.unauthorized,
      body: { detail: world.dialect.words(401, 'Missing or unknown API key') },
    };
  }
  if (!found) return { status: 404, body: { detail: 'Not Found' } };
  const call: Call = {
    world,
    project,
    operation: found.route.operation,
    params: found.params,
    query: request.url.searchParams,
    body: noJson,
  };
  return found.isMethodWrong ? serveOtherMethod(call, request.method) : serve(call, request, found.route);
}

/** The functions that apply faults to a request after `begin`, in the order of their calls. */
const steps = [
  beginCombined,
  beginEffects,
  beginSessionJobs,
  beginRunJobs,
  beginPlain,
  beginResources,
  beginStatements,
  beginSessionStatements,
  beginRunStatements,
  beginUnbiasedSessions,
  beginUnbiasedOthers,
];

function serve(bare: Call, request: Request, route: Route): Answer {
  const { world } = bare;
  let call = bare;
  try {
    call = { ...call, body: parse(request) };
    let begun = begin(call);
    for (const step of steps) begun = 'status' in begun ? begun : step(begun);
    return concludeAll(call, 'status' in begun ? begun : route.handle(begun));
  } catch (error) {
    if (error instanceof Refusal) return concludeAll(call, error.answer);
    if (error instanceof Invalid) return concludeAll(call, unprocessable(world, error.problems));
    throw error;
  }
}

function concludeAll(call: Call, answer: Answer): Answer {
  const combined = concludeCombined(call, concludeRecord(call, conclude(call, answer)));
  const shown = concludeSessionJobs(call, concludeEffects(call, showEffects(call, combined)));
  const plain = concludeResources(call, concludePlain(call, concludeRunJobs(call, shown)));
  const stated = concludeRunStatements(call, concludeSessionStatements(call, concludeStatements(call, plain)));
  return concludeUnbiasedOthers(call, concludeUnbiasedSessions(call, stated));
}

function parse(request: Request): unknown {
  if (request.bytes.length === 0) return undefined;
  try {
    return JSON.parse(request.bytes.toString('utf8')) as unknown;
  } catch {
    throw new Invalid([{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }]);
  }
}

function match(request: Request): { route: Route; params: Record<string, string>; isMethodWrong: boolean } | undefined {
  const hits = routes
    .map((route) => ({ route, hit: route.pattern.exec(request.url.pathname) }))
    .filter(({ hit }) => hit !== null);
  const exact = hits.find(({ route }) => route.method === request.method) ?? hits[0];
  if (!exact) return undefined;
  const params = Object.fromEntries(
    Object.entries(exact.hit?.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value ?? '')]),
  );
  return { route: exact.route, params, isMethodWrong: exact.route.method !== request.method };
}
