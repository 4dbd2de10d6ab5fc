import { isDeepStrictEqual } from 'node:util';
import type { FastifyBaseLogger } from 'fastify';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { match } from '#contract/match.ts';
import { isProblem, problem, renderProblem } from '#contract/problems.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { isJsonObject, type JsonValue, type JsonObject } from '#lib/json.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import { createRandom, injectFaults } from '../inject-faults.ts';
import { landingPage } from '../landing-page.ts';
import { readJson } from '../load-routes.ts';
import { createMockServer, delayResponses, type MockServer } from '../mock-server.ts';
import { operations } from '#generated/operations.ts';

/** Matches the names of response headers that a replay returns. */
const keptHeaders = /^(retry-after|location|link|x-ratelimit-.+)$/;

/**
 * Reads the API calls from a HAR file of the suite or of a browser, in file order. The host of a call does not matter.
 * Skips entries of other URLs and entries without a response. Throws a {@link RecordingFault} for a text that is no
 * HAR, and for a HAR without API calls.
 */
export function readRecording(text: string): readonly RecordedCall[] {
  const calls = readEntries(text).flatMap((entry) => {
    const call = isJsonObject(entry) ? readCall(entry) : null;
    return call === null ? [] : [call];
  });
  if (calls.length > 0) return calls;
  throw new RecordingFault(
    'no answered request to a documented operation',
    'a recording with at least one request below /api/v2, /api/v3 or /api/v4, and its answer',
  );
}

/** Thrown for a text that is no recording of API calls. */
export class RecordingFault extends Error {
  override readonly name = 'RecordingFault';
  readonly found: string;
  readonly expected: string;

  constructor(found: string, expected: string) {
    super(`found ${found}, expected ${expected}`);
    this.found = found;
    this.expected = expected;
  }
}

function readEntries(text: string): readonly JsonValue[] {
  const har = parsed(text);
  const log = isJsonObject(har) ? har['log'] : undefined;
  const entries = isJsonObject(log) ? log['entries'] : undefined;
  if (Array.isArray(entries)) return entries;
  throw new RecordingFault('no list of entries', 'a HAR: {"log": {"entries": [...]}}');
}

function readCall({ request, response }: JsonObject): RecordedCall | null {
  if (!isJsonObject(request) || !isJsonObject(response)) return null;
  const { method, url } = request;
  const status = response['status'];
  // Status 0 marks a request without a response.
  if (typeof method !== 'string' || typeof url !== 'string' || typeof status !== 'number' || status < 200) return null;
  if (!URL.canParse(url)) return null;
  const { pathname, searchParams } = new URL(url);
  const [path] = /\/api\/v\d+\/.*$/.exec(pathname) ?? [''];
  const found = match(recordedRoutes, { method: method.toUpperCase(), path });
  if (isProblem(found)) return null;
  const content = isJsonObject(response['content']) ? response['content'] : {};
  const post = isJsonObject(request['postData']) ? request['postData'] : {};
  return {
    method: method.toUpperCase(),
    path,
    template: found.route.path,
    query: queryText(searchParams),
    body: parsed(decodeText(post)),
    answer: { status, body: parseBody(decodeText(content)), headers: keepHeaders(response['headers']) },
  };
}

function decodeText({ text, encoding }: JsonObject): string {
  if (typeof text !== 'string') return '';
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
}

/** Returns the parsed JSON, or the text itself if it is not JSON; undefined for an empty text. */
function parseBody(text: string): unknown {
  if (text === '') return undefined;
  return parsed(text) ?? text;
}

function keepHeaders(headers: JsonValue | undefined): Record<string, string> {
  const pairs = Array.isArray(headers) ? headers.filter(isJsonObject) : [];
  return Object.fromEntries(
    pairs.flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' && keptHeaders.test(name.toLowerCase())
        ? [[name.toLowerCase(), value] as const]
        : [],
    ),
  );
}

/** Parses JSON; undefined for invalid JSON. */
function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A recorded call. */
export interface RecordedCall {
  /** HTTP method of the call in upper case. */
  readonly method: string;
  /** Recorded path of the call without query, beginning at `/api/`. */
  readonly path: string;
  /** Path of the operation with placeholders, such as `/api/v4/runs/{run_id}`. */
  readonly template: string;
  /** Query of the call without question mark; its parameters are sorted by name. */
  readonly query: string;
  /** Parsed JSON body; undefined without a body and for invalid JSON. */
  readonly body: JsonValue | undefined;
  readonly answer: HttpReply;
}

/** Method and path of all operations of V2, V3 and V4. */
const recordedRoutes: readonly { readonly method: string; readonly path: string }[] = operations.map(
  ({ version, method, path }) => ({ method: method.toUpperCase(), path: `/api/${version}${path}` }),
);

/** Returns the query with its parameters sorted by name, so that equivalent queries are equal texts. */
export function queryText(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}

/** Options of {@link createReplay}. */
export interface ReplayOptions {
  readonly calls: readonly RecordedCall[];
  /** The only API key that the mock accepts. */
  readonly apiKey: string;
  readonly seed: number;
  /** Smallest and largest delay of each response in milliseconds, both included. */
  readonly latencyMs: readonly [min: number, max: number];
  /** Share of successful responses that are replaced by an internal error, 0 to 1. */
  readonly faultRate: number;
  readonly log: FastifyBaseLogger;
}

const rules = defaultRules;
const keyHeader = rules.service.authentication.name.toLowerCase();
const refusedKey = 401;
/** Maximum number of recorded operations that a refusal lists. */
const namedMax = 40;

/**
 * Creates a mock that answers with recorded responses. A request with the API key never gets a recorded 401 response.
 * Any other request gets only recorded 401 responses. If no recorded call has the same operation, the request is
 * refused.
 */
export function createReplay({ calls, apiKey, seed, latencyMs, faultRate, log }: ReplayOptions): MockServer {
  const [refused, accepted] = [true, false].map((isRefused) =>
    createPlayer(calls.filter(({ answer }) => (answer.status === refusedKey) === isRefused)),
  );
  const random = createRandom(seed);
  const closing = new AbortController();
  const held = delayResponses({ latencyMs, random, signal: closing.signal });
  const failing = injectFaults({ faultRate, random, rules });
  const play = async (request: HttpRequest): Promise<HttpReply> => {
    const hasKey = request.headers[keyHeader] === apiKey;
    const asked = await readRequest(request);
    const answer = (hasKey ? accepted : refused)?.answer(asked) ?? null;
    if (answer !== null) return answer;
    if (!hasKey) return renderProblem(problem('not_authenticated', {}), rules);
    const known = listRecorded(calls);
    return renderProblem(
      problem('recording_without_call', { call: `${asked.method} ${asked.template}`, known }),
      rules,
    );
  };
  const answer = (request: HttpRequest): MaybePromise<HttpReply> => held(request, (inner) => failing(inner, play));
  return createMockServer({ answer, rules, log, apiKey, landing: landingPage('replay') }, () => closing.abort());
}

async function readRequest(request: HttpRequest): Promise<Omit<RecordedCall, 'answer'>> {
  const { method, path, query } = request;
  const found = match(recordedRoutes, request);
  const template = isProblem(found) ? path : found.route.path;
  return { method, path, template, query: queryText(query), body: readJson(await request.readBody()) };
}

/** Lists the recorded operations as text, each with its number of calls. */
function listRecorded(calls: readonly RecordedCall[]): string {
  const counts = Map.groupBy(calls, ({ method, template }) => `${method} ${template}`);
  const named = Array.from(counts, ([name, all]) => `${name} (${all.length})`);
  const more = named.length > namedMax ? ` and ${named.length - namedMax} more` : '';
  return `${named.slice(0, namedMax).join(', ')}${more}`;
}

/** A request to find in the recording. */
export type Asked = Pick<RecordedCall, 'method' | 'path' | 'template' | 'query' | 'body'>;

/** A selector of recorded responses. */
export interface Player {
  /**
   * Returns the response to the most similar recorded request. Returns null if no recorded request has the same method
   * and path template.
   */
  answer(asked: Asked): HttpReply | null;
}

/** A recorded request with the responses that it got, in the order of the recording. */
interface Row {
  readonly asked: Asked;
  readonly answers: HttpReply[];
  /** Number of responses of this request that were already returned. */
  given: number;
}

/**
 * Creates a selector of recorded responses, which compares a request with recorded requests of the same method and
 * operation. Prefers an equal path, then a similar body, an equal query, and an unused response. Equal requests get the
 * recorded responses in order. Further equal requests get the last of these responses.
 */
export function createPlayer(calls: readonly RecordedCall[]): Player {
  const rows = groupCalls(calls);
  // The selected path by method and path: repeated requests for an unrecorded object get the same recorded object.
  const takenFor = new Map<string, string>();
  return {
    answer(asked) {
      const fitting = rows.filter((row) => row.asked.method === asked.method && row.asked.template === asked.template);
      const isKnown = fitting.some((row) => row.asked.path === asked.path);
      const name = JSON.stringify([asked.method, asked.path]);
      const taken = isKnown || asked.body !== undefined ? undefined : takenFor.get(name);
      const row = best(taken === undefined ? fitting : fitting.filter((one) => one.asked.path === taken), asked);
      if (row === undefined) return null;
      takenFor.set(name, row.asked.path);
      const answer = row.answers[Math.min(row.given, row.answers.length - 1)] ?? null;
      row.given += 1;
      return answer;
    },
  };
}

function groupCalls(calls: readonly RecordedCall[]): Row[] {
  const rows: Row[] = [];
  for (const { answer, ...asked } of calls) {
    const known = rows.find((row) => isDeepStrictEqual(row.asked, asked));
    if (known === undefined) rows.push({ asked, answers: [answer], given: 0 });
    else known.answers.push(answer);
  }
  return rows;
}

function best(rows: readonly Row[], asked: Asked): Row | undefined {
  const judged = rows.map((row) => ({ row, worth: rankRow(row, asked) }));
  return judged.toSorted((one, other) => compare(other.worth, one.worth))[0]?.row;
}

function rankRow({ asked, answers, given }: Row, { path, body, query }: Asked): readonly number[] {
  return [
    Number(asked.path === path),
    similarity(bodyOrNone(asked.body), bodyOrNone(body)),
    Number(asked.query === query),
    Number(given < answers.length),
  ];
}

function bodyOrNone(body: JsonValue | undefined): JsonValue {
  return body ?? {};
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index < 0 ? 0 : Number(one[index]) - Number(other[index]);
}

/**
 * Returns the similarity of two bodies, from 0 to 1: the share of their leaf values that are equal. A leaf with
 * different values in both bodies counts half.
 */
function similarity(one: JsonValue | undefined, other: JsonValue | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 1 : 0;
  const [left, right] = [listLeaves(one), listLeaves(other)];
  const names = new Set([...left.keys(), ...right.keys()]);
  if (names.size === 0) return 1;
  let common = 0;
  for (const name of names) {
    if (left.has(name) && right.has(name)) common += left.get(name) === right.get(name) ? 2 : 1;
  }
  return common / (2 * names.size);
}

/** Returns all leaf values of a JSON value as JSON texts, by path. Empty objects and lists count as leaves. */
function listLeaves(value: JsonValue): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (inner: JsonValue, place: string): void => {
    if (Array.isArray(inner) && inner.length > 0)
      for (const [index, one] of inner.entries()) visit(one, `${place}/${index}`);
    else if (isJsonObject(inner) && Object.keys(inner).length > 0)
      for (const [name, one] of Object.entries(inner)) visit(one, `${place}/${name}`);
    else leaves.set(place, JSON.stringify(inner));
  };
  visit(value, '');
  return leaves;
}
