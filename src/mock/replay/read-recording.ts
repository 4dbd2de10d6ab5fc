import type { HttpReply } from '#contract/http-messages.ts';
import { match } from '#contract/match.ts';
import { isProblem } from '#contract/problems.ts';
import { operations } from '#generated/operations.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** Response headers that a replay returns. */
const keptHeaders = /^(retry-after|location|link|x-ratelimit-.+)$/;

/**
 * Reads the API calls of a HAR file of the suite or of a browser, in its order and for any host. Skips other entries
 * and entries without a response. Throws for a text that is no HAR, and for a HAR without API calls.
 */
export function readRecording(text: string): readonly RecordedCall[] {
  const calls = readEntries(text).flatMap((entry) => {
    const call = isJsonObject(entry) ? readCall(entry) : null;
    return call === null ? [] : [call];
  });
  if (calls.length > 0) return calls;
  throw new Error('found no call of the interface in the recording, expected some below /api/v2, /api/v3 or /api/v4');
}

function readEntries(text: string): readonly JsonValue[] {
  const har = parsed(text);
  const log = isJsonObject(har) ? har['log'] : undefined;
  const entries = isJsonObject(log) ? log['entries'] : undefined;
  if (Array.isArray(entries)) return entries;
  throw new Error('found no list of entries in the recording, expected a HAR: {"log": {"entries": [...]}}');
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

/** Returns the parsed JSON, or the text itself when it is no JSON. */
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
  /** Upper case. */
  readonly method: string;
  /** Recorded path from `/api/` on, without query. */
  readonly path: string;
  /** Path template of the operation, such as `/api/v4/runs/{run_id}`. */
  readonly template: string;
  /** Query without question mark, sorted by name. */
  readonly query: string;
  /** Parsed JSON body; undefined without a body and for invalid JSON. */
  readonly body: JsonValue | undefined;
  readonly answer: HttpReply;
}

/** Method and path of all operations of the three API versions. */
export const recordedRoutes: readonly { readonly method: string; readonly path: string }[] = operations.map(
  ({ version, method, path }) => ({ method: method.toUpperCase(), path: `/api/${version}${path}` }),
);

/** Returns a query sorted by name, so that equivalent queries have equal texts. */
export function queryText(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}
