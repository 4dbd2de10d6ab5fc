import { type JsonValue, isJsonObject } from '../core/json.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Recording } from './recording.ts';
import { readDocuments } from '../core/documents.ts';

/**
 * Returns the values of a recording that grant access, such as signed URLs and tokens: first the generated secrets,
 * then those found in exchanges, then those found in the arguments and results of CDP calls. API keys are already placeholders.
 */
export function findSecrets(recording: Recording): Set<string> {
  const found = new Set(Object.values(recording.secrets).filter((value) => !isPlaceholder(value)));
  const exchanges = recording.happenings.flatMap((one) => (one.kind === 'exchange' ? [one.exchange] : []));
  const ids = new Set(exchanges.flatMap(({ json }) => idsIn(json)));
  const words = createPublicWords();
  const search: Search = { found, add: (value) => found.add(value), ids };
  for (const exchange of exchanges) searchExchange(exchange, { search, words });
  for (const one of recording.happenings) {
    if (one.kind !== 'cdp') continue;
    for (const word of one.outcome.words) searchText(word, search);
    if (typeof one.outcome.value === 'string') searchText(one.outcome.value, search);
  }
  return found;
}

interface Search {
  found: ReadonlySet<string>;
  add: (value: string) => void;
  /** Ids of resources, which are not secret even inside a URL. */
  ids: ReadonlySet<string>;
}

interface Place {
  search: Search;
  words: PublicWords;
}

function searchExchange({ generation, request, headers, body, json }: Exchange, { search, words }: Place): void {
  // A request to a URL from a response, perhaps in a changed form: the URL may contain secrets.
  if (generation === 'other') searchAddress(request.url, search);
  searchFields(request.body ?? '', search);
  searchHeaders(request.headers, search);
  words.say(`${request.url}\n${request.body ?? ''}`);
  const told: Search = {
    ...search,
    add: (value) => {
      if (!search.found.has(value) && !words.has(value)) search.add(value);
    },
  };
  searchHeaders(headers, told);
  if (json === undefined) searchText(body, told);
  else searchJson(json, { name: '', search: told });
}

/** Names of members and parameters whose value grants access. */
const secretNames = /token|signature|secret|password|credential|cookie|authorization|^policy$|^sig$|api[-_]?key/i;
/** Minimum length of a secret; shorter values can be guessed. */
const secretLengthMin = 8;

function searchJson(json: JsonValue, { name, search }: { name: string; search: Search }): void {
  if (typeof json === 'string') {
    if (secretNames.test(name) && isMixed(json) && looksMade(json)) search.add(json);
    searchText(json, search);
  } else if (Array.isArray(json)) for (const item of json) searchJson(item, { name, search });
  else if (isJsonObject(json))
    for (const [key, value] of Object.entries(json)) searchJson(value, { name: key, search });
}

const addresses = /(?:https?|wss?):\/\/[^\s"'<>\\]+/g;
/** JSON Web Tokens, which are recognisable by their format. A word begins only once, so that the search is linear. */
const webTokens = /(?<![\w-])eyJ[\w-]{8,8192}\.[\w-]{8,8192}\.[\w-]+/g;

function searchText(text: string, search: Search): void {
  for (const [address] of text.matchAll(addresses)) searchAddress(address.replaceAll('&amp;', '&'), search);
  for (const [token] of text.matchAll(webTokens)) search.add(token);
}

function searchHeader(name: string, value: string, { add }: Search): void {
  if (!/^(set-cookie|cookie|authorization|proxy-authorization)$/i.test(name)) return;
  const words = name.toLowerCase() === 'set-cookie' ? [value.split(';')[0] ?? ''] : value.split(/[;\s]+/);
  for (const word of words) {
    const part = word.slice(word.indexOf('=') + 1);
    if (looksMade(part)) add(part);
  }
}

function searchHeaders(headers: Exchange['headers'], search: Search): void {
  for (const [name, value] of Object.entries(headers)) {
    searchHeader(name, value, search);
    searchText(value, search);
  }
}

/** Fields of a multipart form. */
const fields = /name="([^"]+)"\r\n\r\n([^\r\n]*)\r\n/g;

function searchFields(body: string, { add }: Search): void {
  for (const [, name = '', value = ''] of body.matchAll(fields)) {
    if (looksMade(value) && (secretNames.test(name) || isToken(value))) add(value);
  }
}

function searchAddress(address: string, search: Search): void {
  if (!URL.canParse(address)) return;
  const { add, ids } = search;
  const url = new URL(address);
  // A page may hand a token on in the fragment.
  const members = [...url.searchParams, ...new URLSearchParams(url.hash.slice(1))];
  // A member may be an address itself, for example that of the websocket of a live view.
  for (const [, value] of members) searchText(value, search);
  const query = members.filter(
    ([name, value]) => looksMade(value) && (secretNames.test(name) || isToken(value)) && !ids.has(value),
  );
  for (const [, value] of query) add(value);
  if (looksMade(url.password)) add(decoded(url.password));
  // A secret in the query grants the access. The path is then only a name.
  if (query.length > 0) return;
  const parts = url.pathname.split('/').filter((part) => isToken(part) && looksMade(part) && !ids.has(part));
  for (const part of parts) add(part);
}

/** Decodes a percent-encoded part of a URL. An invalid sequence such as `%zz` stays as it is. */
function decoded(part: string): string {
  return new URLSearchParams(`part=${part.replaceAll(/[&+]/g, encodeURIComponent)}`).get('part') ?? part;
}

/**
 * Returns true for a text of at least 20 characters, or with letters and digits. A shorter word may be an enumeration
 * value, which is no secret, even in a member with the name of a secret.
 */
function isMixed(text: string): boolean {
  return text.length >= 20 || (/\d/.test(text) && /[a-z]/i.test(text));
}

/**
 * Returns true for a text that looks like a random token: at least 16 characters of a token alphabet, with letters and
 * digits. About one random token in 200 has no digit; such a text needs 24 characters and three changes from lower to
 * upper case.
 */
function isToken(text: string): boolean {
  if (!/^[\w~+/=.-]{16,}$/.test(text) || !/[a-z]/i.test(text) || isTime(text)) return false;
  return /\d/.test(text) || (text.length >= 24 && (text.match(/[a-z][A-Z]/g) ?? []).length >= 3);
}

function isTime(text: string): boolean {
  return /^\d{4}-?\d\d-?\d\dT[\d:.]+Z?$/.test(text);
}

/** Returns true for a text that may be a secret: long enough, and no placeholder, number, time or sentence. */
function looksMade(text: string): boolean {
  const plain = /\s|^[\d.]*$|\$S(ERVICE|VC)_|^</;
  return text.length >= secretLengthMin && !plain.test(text) && !isPlaceholder(text) && !isTime(text);
}

/** Returns true for the placeholder of a secret. */
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

/** Words that may look random but are not secret: words of the documents, and words that the suite itself has sent. */
interface PublicWords {
  /** Adds the words of a request. A response that repeats them reveals nothing. */
  say(text: string): void;
  has(word: string): boolean;
}

/** Creates the collection of words of the documents and of requests, which are not secret. */
function createPublicWords(): PublicWords {
  const documents = JSON.stringify(readDocuments('openapi'));
  const said: string[] = [];
  const known = new Set<string>();
  const isSaid = (word: string): boolean => documents.includes(word) || said.some((text) => text.includes(word));
  return {
    say: (text) => {
      said.push(text);
    },
    has: (word) => {
      // A public word stays public, because texts are only added.
      if (known.has(word)) return true;
      if (isSaid(word)) known.add(word);
      return known.has(word);
    },
  };
}
