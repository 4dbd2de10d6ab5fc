import type { HttpReply } from '#contract/http-messages.ts';
import { match } from '#contract/match.ts';
import { isProblem } from '#contract/problems.ts';
import { operations } from '#generated/operations.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** What an answer says besides its body. */
const keptHeaders = /^(retry-after|location|link|x-ratelimit-.+)$/;

/**
 * The calls of the interface in a HAR, in its order: those of the suite and of a browser, whatever host they went to. Other entries and those
 * without an answer are left out. Throws for what is no HAR, or has no such call.
 */
export function readRecording(text: string): readonly RecordedCall[] {
  const calls = entriesOf(text).flatMap((entry) => {
    const call = isJsonObject(entry) ? callOf(entry) : null;
    return call === null ? [] : [call];
  });
  if (calls.length > 0) return calls;
  throw new Error('found no call of the interface in the recording, expected some below /api/v2, /api/v3 or /api/v4');
}

function entriesOf(text: string): readonly JsonValue[] {
  const har = parsed(text);
  const log = isJsonObject(har) ? har['log'] : undefined;
  const entries = isJsonObject(log) ? log['entries'] : undefined;
  if (Array.isArray(entries)) return entries;
  throw new Error('found no list of entries in the recording, expected a HAR: {"log": {"entries": [...]}}');
}

function callOf({ request, response }: JsonObject): RecordedCall | null {
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
    body: parsed(textOf(post)),
    answer: { status, body: bodyOf(textOf(content)), headers: headersOf(response['headers']) },
  };
}

function textOf({ text, encoding }: JsonObject): string {
  if (typeof text !== 'string') return '';
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
}

/** JSON as a value, anything else as the text that it is. */
function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  return parsed(text) ?? text;
}

function headersOf(headers: JsonValue | undefined): Record<string, string> {
  const pairs = Array.isArray(headers) ? headers.filter(isJsonObject) : [];
  return Object.fromEntries(
    pairs.flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' && keptHeaders.test(name.toLowerCase())
        ? [[name.toLowerCase(), value] as const]
        : [],
    ),
  );
}

/** undefined for what is no JSON. */
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
  /** From `/api/` on, without query, as it was recorded. */
  readonly path: string;
  /** The path of its operation, such as `/api/v4/runs/{run_id}`. */
  readonly template: string;
  /** Without its question mark; in the order of the names. */
  readonly query: string;
  /** undefined for none, and for what is no JSON. */
  readonly body: JsonValue | undefined;
  readonly answer: HttpReply;
}

/** Method and path of every operation of the three generations. */
export const recordedRoutes: readonly { readonly method: string; readonly path: string }[] = operations.map(
  ({ version, method, path }) => ({ method: method.toUpperCase(), path: `/api/${version}${path}` }),
);

/** A query in the order of its names, so that two of the same meaning are the same text. */
export function queryText(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}
