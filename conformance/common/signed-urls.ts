import type { Exchange } from '../core/exchange.ts';
import { isJsonObject, isSame, type JsonValue } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** A URL in which one character was changed. */
export interface Alteration {
  /** The part of the URL that was changed: `path`, or the name of a query member. */
  part: string;
  address: string;
}

/**
 * Returns copies of a URL: one with a changed path, and one with a changed value for each member of the query. The
 * change of the path is in its longest segment, because a server may ignore a file name behind a token. Returns an empty
 * list for an invalid URL.
 */
export function alterations(address: string): Alteration[] {
  if (!URL.canParse(address)) return [];
  const path = new URL(address);
  const segments = path.pathname.split('/');
  const longest = Math.max(...segments.map(({ length }) => length));
  const at = segments.findLastIndex(({ length }) => length === longest);
  path.pathname = segments.with(at, alterText(segments[at] ?? '')).join('/');
  const members = [...new URL(address).searchParams].map(([name, value]) => {
    const changed = new URL(address);
    changed.searchParams.set(name, alterText(value));
    return { part: name, address: changed.href };
  });
  return [{ part: 'path', address: path.href }, ...members];
}

/**
 * Returns a text with another character in the middle, because the last character of an encoded value may carry unused
 * bits. A digit is replaced by a digit, and any other character by a letter, to keep the form of the value.
 */
export function alterText(value: string): string {
  const at = Math.floor(value.length / 2);
  return value.slice(0, at) + anotherCharacter(value[at] ?? '') + value.slice(at + 1);
}

function anotherCharacter(found: string): string {
  if (/\d/.test(found)) return String((Number(found) + 1) % 10);
  return found === 'a' ? 'b' : 'a';
}

/** A signed URL, the response to a GET without a key, and the responses to changed copies of the URL. */
export interface GuardedAddress {
  /** Purpose of the URL, for messages. */
  what: string;
  opened: Exchange;
  /** Answers with a change in the path first, then in each member of the query. */
  altered: { part: string; exchange: Exchange }[];
  /** Answer to a PUT of bytes to the unchanged URL, which was issued for reading. */
  written: Exchange;
}

/**
 * Requests a signed URL without a key, altered copies of it, and a PUT to it. Returns undefined if the value is no
 * valid URL.
 */
export async function guardAddress(
  { send }: ScenarioContext,
  what: string,
  address: JsonValue | undefined,
): Promise<GuardedAddress | undefined> {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const spec = { generation: 'other', operation: 'openAddress', key: 'none' } as const;
  const open = (path: string): Promise<Exchange> => send({ ...spec, method: 'GET', path });
  const altered: GuardedAddress['altered'] = [];
  for (const { part, address: path } of alterations(address)) altered.push({ part, exchange: await open(path) });
  const written = await send({ ...spec, method: 'PUT', path: address, rawBody: 'svc-check' });
  return { what, opened: await open(address), altered, written };
}

/**
 * Matches URLs, and absolute paths with a query. A path ends where another path can begin, so that a search takes
 * linear time.
 */
const addresses = /\b(?:https?|wss?):\/\/[^\s"'<>]+|(?<![^\s"'(])\/[^\s"'(<>?]*\?[^\s"'<>]+/g;

/** Returns a value in which `<address>` replaces each URL and each absolute path with a query, also within texts. */
export function withoutAddresses(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll(addresses, '<address>');
  if (Array.isArray(value)) return value.map((item) => withoutAddresses(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutAddresses(inner)]));
}

/** Returns true if two values are the same JSON apart from addresses, which may be signed anew for each response. */
export function isSameContent(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return isSame(withoutAddresses(left ?? null), withoutAddresses(right ?? null));
}

/** Returns a step or a message without its screenshot, whose URL may differ in every response. */
export function withoutScreenshot(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== 'screenshotUrl'));
}
