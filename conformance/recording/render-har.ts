import { jsonText } from '../core/safe-text.ts';
import { findSecrets } from './find-secrets.ts';
import { type Recording, recordingSchema } from './recording.ts';
import type { CdpOutcome } from '../core/cdp.ts';
import { encodePart } from '../core/path-with-id.ts';
import type { Exchange } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';

/** Renders a recording as HAR 1.2. Each secret is replaced by the same placeholder wherever it occurs. */
export function renderHar(recording: Recording): string {
  const replace = createReplace(findSecrets(recording));
  const entries = createEntries(recording).map((entry) => mapTexts(entry, replace));
  const { happenings, ...members } = recording;
  const ends = happenings.flatMap((one, turn) => (one.kind === 'end' ? [{ turn, ...one.end }] : []));
  const log = {
    version: '1.2',
    creator: { name: 'svc check', version: recordingSchema },
    entries,
    _svc: { schema: recordingSchema, ...mapTexts({ ...members, ends }, replace) },
  };
  return jsonText({ log }, 1);
}

function createEntries({ startedAt, happenings }: Recording): HarEntry[] {
  const beginMs = Date.parse(startedAt);
  const outcomes: TurnedOutcome[] = [];
  const entries: HarEntry[] = [];
  for (const [turn, one] of happenings.entries()) {
    if (one.kind === 'exchange') entries.push(harEntry(one.exchange, { turn, beginMs }));
    if (one.kind === 'cdp') outcomes.push({ turn, outcome: one.outcome });
  }
  return [...entries, ...socketEntries(outcomes, beginMs)];
}

/** Returns a copy with every text replaced. */
function mapTexts<T>(value: T, replace: (text: string) => string): T {
  const copy = (item: unknown): unknown => {
    if (typeof item === 'string') return replace(item);
    if (Array.isArray(item)) return item.map((one: unknown) => copy(one));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, one]: [string, unknown]) => [name, copy(one)]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else is changed
  return copy(value) as T;
}

/** Outcome of a CDP call, and its position among all recorded events. */
interface TurnedOutcome {
  turn: number;
  outcome: CdpOutcome;
}

/** Returns one HAR entry for each connection of an automation client, with its calls and their outcomes in order. */
function socketEntries(outcomes: readonly TurnedOutcome[], beginMs: number): HarEntry[] {
  const byConnection = Map.groupBy(outcomes, ({ outcome }) => `${outcome.sentBy} ${outcome.connection}`);
  return [...byConnection.values()].flatMap((calls) => {
    const [first] = calls;
    return first === undefined ? [] : [createEntry(first.outcome, { calls, beginMs })];
  });
}

function createEntry(first: CdpOutcome, { calls, beginMs }: { calls: TurnedOutcome[]; beginMs: number }): HarEntry {
  const begin = first.atMs - first.durationMs;
  const last = calls.at(-1)?.outcome ?? first;
  const url = first.words[0] ?? '';
  return {
    startedDateTime: new Date(beginMs + begin).toISOString(),
    time: last.atMs - begin,
    request: {
      method: 'GET',
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      queryString: readQuery(url),
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: first.fault === undefined ? 101 : 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: '', text: '' },
      redirectURL: '',
      headersSize: -1,
      bodySize: 0,
      ...(first.fault === undefined ? {} : { _error: first.fault }),
    },
    cache: {},
    timings: { send: 0, wait: first.durationMs, receive: last.atMs - first.atMs },
    _resourceType: 'websocket',
    _webSocketMessages: calls.flatMap((call) => createMessages(call, beginMs)),
    _svc: { client: first.client, sentBy: first.sentBy, connection: first.connection },
  };
}

/**
 * Returns two websocket messages for a call of a client library: the call, and its result. The library hides its real
 * websocket frames, so the HAR file shows the calls instead.
 */
function createMessages(
  { turn, outcome }: TurnedOutcome,
  beginMs: number,
): NonNullable<HarEntry['_webSocketMessages']> {
  const { call, words, value, fault, atMs, durationMs } = outcome;
  const seconds = (ms: number): number => (beginMs + ms) / 1000;
  const answer = fault === undefined ? { value: value === undefined ? null : value } : { fault };
  return [
    { type: 'send', time: seconds(atMs - durationMs), opcode: 1, data: JSON.stringify({ call, words }) },
    {
      type: 'receive',
      time: seconds(atMs),
      opcode: 1,
      data: JSON.stringify(answer),
      _svc: {
        turn,
        call,
        words: [...words],
        atMs,
        durationMs,
        ...(value === undefined ? {} : { value: typeof value === 'string' ? value : [...value] }),
        ...(fault === undefined ? {} : { fault }),
      },
    },
  ];
}

/** Replaces secrets in a text, in plain form and in URL, form and JSON encoding. */
type Replace = (text: string) => string;

/** Number of first characters by which a secret is searched; no secret is shorter. */
const headLength = 8;

/**
 * Creates a function that replaces every secret by a placeholder of the same length, but at least 14 characters. Equal
 * secrets get equal placeholders, different secrets get different placeholders. Checks of presence, freshness and
 * length therefore still work.
 */
export function createReplace(secrets: Iterable<string>): Replace {
  const byHead = new Map<string, [string, string][]>();
  let count = 0;
  for (const secret of secrets) {
    count += 1;
    const placeholder = `svcsecret${String(count).padStart(5, '0')}`.padEnd(secret.length, 'x');
    for (const spelling of spellings(secret)) {
      const head = spelling.slice(0, headLength);
      byHead.set(head, [...(byHead.get(head) ?? []), [spelling, placeholder]]);
    }
  }
  // Of two secrets the longer one may contain the shorter one.
  for (const [head, known] of byHead)
    byHead.set(
      head,
      known.toSorted(([a], [b]) => b.length - a.length),
    );
  return count === 0 ? (text) => text : (text) => replaceAll(text, byHead);
}

function replaceAll(text: string, byHead: ReadonlyMap<string, readonly [string, string][]>): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at + headLength <= text.length; ) {
    const found = byHead.get(text.slice(at, at + headLength))?.find(([spelling]) => text.startsWith(spelling, at));
    if (found === undefined) {
      at += 1;
      continue;
    }
    parts.push(text.slice(from, at), found[1]);
    at += found[0].length;
    from = at;
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

function spellings(secret: string): Set<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return new Set([secret, encodePart(secret), form, json, json.replaceAll('/', String.raw`\/`)]);
}

/** Renders an exchange as a HAR entry; `turn` is its position among all recorded events. */
function harEntry(exchange: Exchange, { turn, beginMs }: { turn: number; beginMs: number }): HarEntry {
  const { index, generation, operation, sentBy, atMs, durationMs, request, status, fault, exceeds } = exchange;
  const mimeType = exchange.headers['content-type'] ?? '';
  return {
    startedDateTime: new Date(beginMs + atMs).toISOString(),
    time: durationMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.headers),
      queryString: readQuery(request.url),
      headersSize: -1,
      bodySize: Buffer.byteLength(request.body ?? ''),
      ...(request.body === undefined
        ? {}
        : { postData: { mimeType: request.headers['content-type'] ?? '', text: request.body } }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(exchange.headers),
      content: { size: Buffer.byteLength(exchange.body), mimeType, text: exchange.body },
      redirectURL: exchange.headers['location'] ?? '',
      headersSize: -1,
      bodySize: Buffer.byteLength(exchange.body),
      ...(fault === undefined ? {} : { _error: fault }),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    _svc: {
      turn,
      index,
      generation,
      operation,
      sentBy,
      atMs,
      ...(fault === undefined ? {} : { fault }),
      ...(exceeds === undefined ? {} : { exceeds }),
    },
  };
}

/** Converts headers or parameters to the name and value pairs of a HAR. */
function pairs(values: Readonly<Record<string, string>>): HarPair[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Returns the query parameters of a URL; empty for an invalid URL. */
function readQuery(url: string): HarPair[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}

/** A name and its value. */
export interface HarPair {
  name: string;
  value: string;
}

/** One entry of a HAR 1.2 file, with the members that the suite writes. */
export interface HarEntry {
  startedDateTime: string;
  time: number;
  request: {
    method: string;
    url: string;
    httpVersion: string;
    cookies: [];
    headers: HarPair[];
    queryString: HarPair[];
    headersSize: -1;
    bodySize: number;
    postData?: { mimeType: string; text: string };
  };
  response: {
    status: number;
    statusText: string;
    httpVersion: string;
    cookies: [];
    headers: HarPair[];
    content: { size: number; mimeType: string; text: string };
    redirectURL: string;
    headersSize: -1;
    bodySize: number;
    _error?: string;
  };
  cache: Record<string, never>;
  timings: { send: number; wait: number; receive: number };
  _resourceType?: 'websocket';
  _webSocketMessages?: { type: 'send' | 'receive'; time: number; opcode: 1; data: string; _svc?: JsonObject }[];
  _svc: JsonObject;
}
