import type { Pool } from 'undici';
import type { FuzzFaults } from './fuzz-faults.ts';
import { type CallRequest, type FuzzedRequest, type RawRequest, type CallAnswer, sendCall } from './fuzzed-request.ts';
import type { World } from './world.ts';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { answerSchemas } from '#conformance/core/answer-schemas.ts';
import { type JsonObject, isJsonObject, parseJson } from '#conformance/core/json.ts';
import { operationRow } from '#conformance/core/operations.ts';

/** Dependencies of sending requests. */
interface SenderParts {
  readonly service: { readonly address: string };
  readonly pool: Pool;
  readonly world: World;
  readonly faults: FuzzFaults;
  /** Counts responses by status. */
  readonly statuses: Map<number, number>;
  /** Receives the keys of operations that succeeded. */
  readonly succeeded: Set<string>;
}

/**
 * Returns a function that sends a request and returns the faults of the response. The function stores the ids of the
 * response, and shrinks the first request of each kind of fault.
 */
export function createSender(parts: SenderParts): (request: FuzzedRequest, index: number) => Promise<string[]> {
  const send = (request: FuzzedRequest): Promise<string[]> =>
    request.kind === 'call' ? sendOne(parts, request) : sendBytes(parts, request);
  return async (request, index) => {
    const found = await send(request);
    for (const fault of found) {
      if (!parts.faults.add(request, fault)) continue;
      const start = fault.slice(0, sameStart);
      const smallest = await shrink(request, async (smaller) =>
        (await send(smaller)).some((text) => text.startsWith(start)),
      );
      parts.faults.replace(fault, smallest);
      console.error(`  request ${index}`);
    }
    return found;
  };
}

/** Shrinking accepts a smaller request if this number of leading characters of the fault message stays the same. */
const sameStart = 30;

async function sendOne({ pool, world, statuses, succeeded }: SenderParts, request: CallRequest): Promise<string[]> {
  const resolved = world.resolve(request);
  const answer = await sendCall(pool, resolved);
  count(statuses, answer.status);
  if (answer.status >= 200 && answer.status < 300) {
    if (request.operation !== null) succeeded.add(request.operation);
    if (answer.json !== undefined) world.learn(request.operation, answer.json);
  }
  return judgeCall(resolved, answer);
}

async function sendBytes({ service, world, statuses }: SenderParts, request: RawRequest): Promise<string[]> {
  const resolved = world.resolve(request);
  const answers = await sendRaw(service.address, resolved);
  for (const { status } of answers.heads) count(statuses, status);
  if (answers.heads.length === 0) count(statuses, 0);
  return judgeRaw(resolved, answers);
}

function count(statuses: Map<number, number>, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** Returns the faults of the responses on a raw connection as sentences; empty without a fault. */
export function judgeRaw({ answers }: RawRequest, { heads, isEnded, isCut }: RawAnswers): string[] {
  const final = heads.filter(({ status }) => status >= 200);
  return [
    ...(isEnded ? [] : ['a connection that had ended its side was not ended']),
    ...final.filter(({ status }) => status >= 500).map(({ status }) => `bytes were answered ${status}`),
    ...final
      .filter(({ text }) => !/\r\nx-request-id: \S/i.test(text))
      .map(({ status }) => `an answer of ${status} to bytes has no request id`),
    ...(answers === null || answers === final.length || (isCut && final.length < answers)
      ? []
      : [`${answers} requests on one connection got ${final.length} answers`]),
  ];
}

/** Responses to the bytes of one raw request. */
interface RawAnswers {
  /** Heads of the responses in order, up to a protocol change. */
  readonly heads: readonly { readonly status: number; readonly text: string }[];
  /** Whether the service closed the connection in time. */
  readonly isEnded: boolean;
  /** Whether the connection failed with an error, such as a close during writing. Responses may then be lost. */
  readonly isCut: boolean;
}

/** Maximum time without traffic before the connection counts as not closed, in milliseconds. */
const deadlineMs = 120_000;

/**
 * Writes bytes to a new connection, closes the writing direction, and reads until the service closes the connection or
 * the deadline passes.
 */
async function sendRaw(address: string, { pieces }: RawRequest): Promise<RawAnswers> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  let isCut = false;
  socket.on('error', () => {
    isCut = true;
    socket.destroy();
  });
  socket.on('end', () => socket.end());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let isEnded = true;
  socket.setTimeout(deadlineMs, () => {
    isEnded = false;
    socket.destroy();
  });
  for (const piece of pieces) {
    if (socket.writable) socket.write(Buffer.from(piece, 'latin1'));
    await setImmediate();
  }
  socket.end();
  await closed;
  return { heads: getHeads(Buffer.concat(chunks).toString('latin1')), isEnded, isCut };
}

function getHeads(text: string): RawAnswers['heads'] {
  const heads: { status: number; text: string }[] = [];
  // Bodies are JSON or HTML of the service, which contain no HTTP status line.
  for (const [whole, status] of text.matchAll(/HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n/g)) {
    heads.push({ status: Number(status), text: whole });
    if (status === '101') break;
  }
  return heads;
}

/** Maximum number of attempts to shrink one request. */
const attemptsMax = 60;

/**
 * Removes parts of a request as long as `fails` returns true for the smaller request, in at most `attemptsMax`
 * attempts. Returns the smallest request for which `fails` returned true.
 */
async function shrink(
  request: FuzzedRequest,
  fails: (smaller: FuzzedRequest) => Promise<boolean>,
): Promise<FuzzedRequest> {
  let smallest = request;
  let attempts = 0;
  for (let found = true; found; ) {
    found = false;
    for (const smaller of getSmaller(smallest)) {
      if ((attempts += 1) > attemptsMax) return smallest;
      if (!(await fails(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

function getSmaller(request: FuzzedRequest): FuzzedRequest[] {
  return request.kind === 'call'
    ? smallerCalls(request)
    : smallerPieces(request.pieces).map((pieces) => ({ ...request, pieces }));
}

function smallerCalls(call: CallRequest): CallRequest[] {
  const [path = ''] = call.path.split('?');
  return [
    ...(call.body === null ? [] : [{ ...call, body: null }]),
    ...(path === call.path ? [] : [{ ...call, path }]),
    ...call.headers.map((_header, at) => ({ ...call, headers: call.headers.toSpliced(at, 1) })),
    ...smallerBodies(call.body).map((body) => ({ ...call, body })),
  ];
}

function smallerBodies(body: string | null): string[] {
  if (body === null || body.length < 2) return [];
  const json = parseJson(body);
  if (!isJsonObject(json)) return [body.slice(0, body.length / 2), body.slice(body.length / 2)];
  return Object.keys(json).map((name) => JSON.stringify(without(json, name)));
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));
}

function smallerPieces(pieces: readonly string[]): string[][] {
  const whole = pieces.join('');
  if (pieces.length > 1) return [[whole]];
  if (whole.length < 2) return [];
  const lines = whole.split('\r\n');
  const withoutLines = lines.map((_line, at) => [lines.toSpliced(at, 1).join('\r\n')]);
  return [[whole.slice(0, whole.length / 2)], ...(lines.length > 1 && lines.length < 20 ? withoutLines : [])];
}

/** Returns the faults of the response to a request as sentences; empty for a valid response. */
export function judgeCall(request: CallRequest, answer: CallAnswer): string[] {
  if (answer.status === 0) return [`no answer: ${answer.fault ?? 'unknown fault'}`];
  return [
    ...judgeStatus(answer),
    ...judgeHead(request, answer),
    ...judgeRights(request, answer),
    ...judgeBody(request, answer),
  ];
}

function judgeStatus({ status, body }: CallAnswer): string[] {
  // No 5xx is legitimate: only a host with too many waiting starts reports overload, and this host is simulated.
  if (status >= 500) return [`answered ${status}: ${body.slice(0, 300)}`];
  const leak = /node_modules|SQLITE_|\.ts:\d+/.exec(body);
  return leak === null
    ? []
    : [`an answer of ${status} shows the inside: ${body.slice(Math.max(0, leak.index - 50), leak.index + 100)}`];
}

/**
 * Returns a fault if the response has no request id. A client that sends the single request id `abc-123` must get the
 * same id back.
 */
function judgeHead({ headers: sent }: CallRequest, { status, headers }: CallAnswer): string[] {
  const id = headers.get('x-request-id');
  if (id === undefined) return [`an answer of ${status} has no request id`];
  const given = sent.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
  const isKept = given.length !== 1 || given[0] !== 'abc-123' || id === 'abc-123';
  return isKept ? [] : [`the request id abc-123 became ${id}`];
}

function judgeRights({ hasKey, path }: CallRequest, { status }: CallAnswer): string[] {
  const isOpen = !path.startsWith('/api/v');
  return hasKey || isOpen || status >= 400 ? [] : [`answered ${status} without a good key`];
}

function judgeBody({ operation: key, method, body }: CallRequest, answer: CallAnswer): string[] {
  const { status, json, body: text } = answer;
  if (key === null) {
    const isOurs =
      method === 'HEAD' || status < 400 || status === 416 || isJsonObject(json) || text.startsWith('<!doctype');
    return isOurs ? [] : [`a refusal with ${status} is no JSON object: ${text.slice(0, 100)}`];
  }
  const operation = operationRow(key);
  const { statuses } = operation;
  if (!statuses.includes(status)) return [`${key} answered ${status}, which its document does not list`];
  const problems = answerSchemas
    .answerProblems(operation, { status, json, body: text })
    .map((problem) => `${key} answered ${status}: ${problem}`);
  const wrong = status < 300 && body !== null ? wrongBody(key, body) : [];
  return [...problems, ...wrong];
}

/** Returns the violations of an accepted body: no JSON, or JSON that the document of the operation rejects. */
function wrongBody(key: NonNullable<CallRequest['operation']>, bytes: string): string[] {
  const operation = operationRow(key);
  if (answerSchemas.getSchema(operation, 'request') === undefined || bytes === '') return [];
  // Like other JSON parsers, the service ignores a byte order mark.
  const body = parseJson(new TextDecoder().decode(Buffer.from(bytes, 'latin1')));
  if (body === undefined) return [`${key} took a body that is no JSON`];
  return answerSchemas
    .requestProblems(key, body)
    .map((problem) => `${key} took a body that its document refuses: ${problem}`);
}
