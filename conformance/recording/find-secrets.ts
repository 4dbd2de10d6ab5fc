import { type JsonValue, isJsonObject } from '../harness/json.ts';
import type { Exchange } from '../harness/exchange.ts';
import type { Recording } from './recording.ts';

/** Values of a recording that open something, in the order in which they were found. Keys are placeholders already. */
export function findSecrets(recording: Recording): Set<string> {
  const found = new Set<string>(Object.values(recording.secrets));
  const exchanges = recording.happenings.flatMap((one) => (one.kind === 'exchange' ? [one.exchange] : []));
  const ids = new Set(exchanges.flatMap(({ json }) => idsIn(json)));
  const search: Search = { found, ids };
  for (const exchange of exchanges) searchExchange(exchange, search);
  for (const one of recording.happenings) {
    if (one.kind === 'cdp') for (const word of one.outcome.words) searchText(word, search);
  }
  return found;
}

interface Search {
  found: Set<string>;
  /** Ids of things, which are no secrets even where an address carries them. */
  ids: ReadonlySet<string>;
}

function searchExchange({ generation, request, headers, body, json }: Exchange, search: Search): void {
  // An address that was handed out, perhaps with a change in it.
  if (generation === 'other') searchAddress(request.url, search);
  for (const [name, value] of [...Object.entries(request.headers), ...Object.entries(headers)]) {
    searchHeader(name, value, search);
    searchText(value, search);
  }
  searchFields(request.body ?? '', search);
  searchText(request.body ?? '', search);
  if (json === undefined) searchText(body, search);
  else searchJson(json, { name: '', search });
}

/** A member or parameter whose value opens something. */
const secretNames = /token|signature|secret|password|credential|cookie|authorization|^policy$|^sig$|api[-_]?key/i;
/** Shorter values can be guessed. */
const secretLengthMin = 8;

function searchJson(json: JsonValue, { name, search }: { name: string; search: Search }): void {
  if (typeof json === 'string') {
    if (secretNames.test(name) && isMixed(json) && looksMade(json)) search.found.add(json);
    searchText(json, search);
  } else if (Array.isArray(json)) for (const item of json) searchJson(item, { name, search });
  else if (isJsonObject(json))
    for (const [key, value] of Object.entries(json)) searchJson(value, { name: key, search });
}

const addresses = /(?:https?|wss?):\/\/[^\s"'<>\\]+/g;
/** Tokens that say by their form what they are. */
const webTokens = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g;

function searchText(text: string, search: Search): void {
  for (const [address] of text.matchAll(addresses)) searchAddress(address.replaceAll('&amp;', '&'), search);
  for (const [token] of text.matchAll(webTokens)) search.found.add(token);
}

function searchHeader(name: string, value: string, { found }: Search): void {
  if (!/^(set-cookie|cookie|authorization|proxy-authorization)$/i.test(name)) return;
  const words = name.toLowerCase() === 'set-cookie' ? [value.split(';')[0] ?? ''] : value.split(/[;\s]+/);
  for (const word of words) {
    const part = word.slice(word.indexOf('=') + 1);
    if (looksMade(part)) found.add(part);
  }
}

/** Fields of a form that is sent as several parts. */
const fields = /name="([^"]+)"\r\n\r\n([^\r\n]*)\r\n/g;

function searchFields(body: string, { found }: Search): void {
  for (const [, name = '', value = ''] of body.matchAll(fields)) {
    if (looksMade(value) && (secretNames.test(name) || isToken(value))) found.add(value);
  }
}

function searchAddress(address: string, { found, ids }: Search): void {
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  const query = [...url.searchParams].filter(
    ([name, value]) => looksMade(value) && (secretNames.test(name) || isToken(value)) && !ids.has(value),
  );
  for (const [, value] of query) found.add(value);
  if (looksMade(url.password)) found.add(decodeURIComponent(url.password));
  // Where the query says who may, the path is only a name.
  if (query.length > 0) return;
  const parts = url.pathname.split('/').filter((part) => isToken(part) && looksMade(part) && !ids.has(part));
  for (const part of parts) found.add(part);
}

// A word of an enumeration is no secret, whatever its member is called.
function isMixed(text: string): boolean {
  return text.length >= 20 || (/\d/.test(text) && /[a-z]/i.test(text));
}

/** True for what nobody would write by hand: 16 or more characters of an alphabet of tokens, letters and digits mixed. */
function isToken(text: string): boolean {
  return /^[\w~+/=.-]{16,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !isTime(text);
}

function isTime(text: string): boolean {
  return /^\d{4}-?\d\d-?\d\dT[\d:.]+Z?$/.test(text);
}

// A placeholder is what a secret has become; numbers and sentences open nothing.
function looksMade(text: string): boolean {
  const plain = /\s|^[\d.]*$|\$S(ERVICE|VC)_|^</;
  return text.length >= secretLengthMin && !plain.test(text) && !isPlaceholder(text) && !isTime(text);
}

/** True for what stands in the place of a secret. */
function isPlaceholder(text: string): boolean {
  return /^svcsecret\d{5}x*$/.test(text);
}

function idsIn(json: JsonValue | undefined): string[] {
  if (Array.isArray(json)) return json.flatMap((item) => idsIn(item));
  if (!isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) =>
    typeof value === 'string' && /(^i|I|_i)ds?$/.test(name) ? [value] : idsIn(value),
  );
}
