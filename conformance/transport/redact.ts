import { isJsonObject, type JsonValue } from '../core/json.ts';

/** Secrets of a run that no output may contain. */
export interface SecretValues {
  apiKey: string;
  /** Key of another project; undefined when none was given. */
  otherApiKey: string | undefined;
  /** Additional headers for every request to the target. */
  headers: Readonly<Record<string, string>>;
}

/** Replaces every key, and every secret header value from the command line, by a placeholder. */
export type Redact = (text: string) => string;

/** Placeholders of the keys. */
export const keyPlaceholders = { apiKey: '$SERVICE_API_KEY', otherApiKey: '$SVC_OTHER_API_KEY' } as const;

/** Headers that carry no secret. Their values are common words that any response may contain. */
const openHeaders = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'host',
  'origin',
  'referer',
  'user-agent',
]);

/** Minimum length of a secret. Replacing shorter words everywhere would corrupt the responses that are judged. */
const secretLengthMin = 6;

/**
 * Changed forms of a key, none of which a service may accept. Most of them reveal the key, so redaction replaces these
 * too.
 */
export interface FaultyKeys {
  /** The key without its last character. */
  shortened: string;
  /** The key with another last character. */
  otherEnd: string;
  /** The key with one more character. */
  extended: string;
  /** The key with upper and lower case exchanged. */
  otherCase: string;
  /**
   * Common beginning of the service's keys, such as `svc_live_`. If the key has no such beginning, its first character.
   */
  prefix: string;
  /** The key without its prefix; empty for a key that is only a prefix. */
  withoutPrefix: string;
  /** The prefix with another secret of the same length, which no key has. */
  otherSecret: string;
}

/** Returns changed forms of a key, of which a service must accept none. */
export function faultyKeys(key: string): FaultyKeys {
  const otherCase = key.replaceAll(/[a-z]+|[A-Z]+/g, (word) =>
    word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase(),
  );
  const prefix = /^[a-z]+(?:[_-](?:live|test))?[_-]/i.exec(key)?.[0] ?? key.slice(0, 1);
  const otherSecret = prefix + '0'.repeat(Math.max(1, key.length - prefix.length));
  const withoutPrefix = key.slice(prefix.length);
  const otherEnd = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  return { otherEnd, shortened: key.slice(0, -1), extended: `${key}x`, otherCase, prefix, withoutPrefix, otherSecret };
}

/**
 * Creates a function that replaces every secret in a text: in plain form, encoded for a query or JSON, or inside basic
 * credentials.
 */
export function createRedact({ apiKey, otherApiKey, headers }: SecretValues): Redact {
  const faulty = faultyKeys(apiKey);
  const secrets: [string, string][] = [
    [Buffer.from(`${apiKey}:`).toString('base64'), '<base64 of $SERVICE_API_KEY:>'],
    [Buffer.from(`${apiKey}:${apiKey}`).toString('base64'), '<base64 of $SERVICE_API_KEY as user and password>'],
    ...spellings(apiKey).map((word): [string, string] => [word, keyPlaceholders.apiKey]),
    ...longWords(faulty.otherEnd).map((word): [string, string] => [word, '<$SERVICE_API_KEY with another end>']),
    ...longWords(faulty.shortened).map((word): [string, string] => [word, '<$SERVICE_API_KEY without its end>']),
    ...longWords(faulty.otherCase).map((word): [string, string] => [word, '<$SERVICE_API_KEY in the other case>']),
    ...longWords(faulty.withoutPrefix).map((word): [string, string] => [word, '<$SERVICE_API_KEY without its prefix>']),
    ...spellings(otherApiKey ?? '').map((word): [string, string] => [word, keyPlaceholders.otherApiKey]),
  ];
  for (const [name, value] of Object.entries(headers)) {
    // A recording is played back with placeholders, in which there is nothing to hide.
    if (openHeaders.has(name.toLowerCase()) || value === headerPlaceholder(name)) continue;
    // A target may repeat only the token of "Bearer token" or "name=token". A name is no secret.
    const tokens = value.split(/[\s;,]+/).map((word) => word.replace(/^[^=]+=(?=[^=])/, ''));
    const words = [value, ...tokens].filter((word) => word.length >= secretLengthMin);
    secrets.push(...words.flatMap(spellings).map((word): [string, string] => [word, headerPlaceholder(name)]));
  }
  // If a word is listed twice, its first placeholder counts. Longer words are replaced first, and no later word is
  // searched in their placeholders. During playback of a recording the key is its own placeholder, and the shortened
  // key is a part of it.
  const first = new Map(secrets.toReversed());
  const longestFirst = [...first].filter(([word]) => word !== '').toSorted(([a], [b]) => b.length - a.length);
  const redactFrom = (text: string, at: number): string => {
    const index = longestFirst.findIndex(([word], position) => position >= at && text.includes(word));
    const [word, shown] = longestFirst[index] ?? [];
    if (word === undefined || shown === undefined) return text;
    const between = splitAt(text, word).map((part) => redactFrom(part, index + 1));
    return between.join(shown);
  };
  return (text) => redactFrom(text, 0);
}

/** Returns a JSON value in which texts and names of members are redacted. Other values stay as they are. */
export function redactJson(value: JsonValue, redact: Redact): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [redact(name), redactJson(of, redact)]));
}

/**
 * Splits a text at each occurrence of a secret. A secret that is shorter than `secretLengthMin`, such as the key of a
 * mock, counts only as a whole word.
 */
function splitAt(text: string, word: string): string[] {
  if (word.length >= secretLengthMin) return text.split(word);
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, Math.max(from, at + 1))) {
    const end = at + word.length;
    if (/\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(end))) continue;
    parts.push(text.slice(from, at));
    from = end;
  }
  return [...parts, text.slice(from)];
}

/**
 * Returns headers with placeholders for secrets. If a header from the command line is sent, its name decides: its value
 * becomes a placeholder, however short, unless the header is in `openHeaders`.
 */
export function redactHeaders(
  hidden: SecretValues,
  sent: Readonly<Record<string, string>>,
  redact: Redact,
): Record<string, string> {
  const shown = ([name, value]: [string, string]): [string, string] => {
    const ours = hidden.headers[name] === value && !openHeaders.has(name.toLowerCase());
    return [name, ours ? headerPlaceholder(name) : redact(value)];
  };
  return Object.fromEntries(Object.entries(sent).map(shown));
}

/** Returns the headers from the command line. A placeholder replaces each value, except those of `openHeaders`. */
export function headerPlaceholders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      openHeaders.has(name.toLowerCase()) ? value : headerPlaceholder(name),
    ]),
  );
}

/**
 * Returns the plain, URL-encoded and JSON-escaped forms of a word that is long enough to be a secret; an empty list for
 * a shorter word.
 */
function longWords(word: string): string[] {
  return word.length < secretLengthMin ? [] : spellings(word);
}

function spellings(secret: string): string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

function headerPlaceholder(name: string): string {
  return `<value of ${name}>`;
}
