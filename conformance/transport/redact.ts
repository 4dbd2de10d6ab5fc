/** What a run has to hide. */
export interface SecretValues {
  apiKey: string;
  /** Key of another project; undefined when none was given. */
  otherApiKey: string | undefined;
  /** Headers for every request. */
  headers: Readonly<Record<string, string>>;
}

/** Replaces every key, and every value of a header of the command line, by a placeholder. */
export type Redact = (text: string) => string;

/** What stands in the place of the keys. */
export const keyPlaceholders = { apiKey: '$SERVICE_API_KEY', otherApiKey: '$SVC_OTHER_API_KEY' } as const;

/** Headers that carry no secret, and whose values are words that every answer may contain. */
const openHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

/** Shorter words are no secrets; replacing them everywhere would break the answers that are judged. */
const secretLengthMin = 6;

/** Replaces every secret in a text: as it is, encoded for a query or JSON, or inside basic credentials. */
export function createRedact({ apiKey, otherApiKey, headers }: SecretValues): Redact {
  const secrets: [string, string][] = [
    [Buffer.from(`${apiKey}:`).toString('base64'), '<base64 of $SERVICE_API_KEY:>'],
    ...spellings(apiKey).map((word): [string, string] => [word, keyPlaceholders.apiKey]),
    ...spellings(otherApiKey ?? '').map((word): [string, string] => [word, keyPlaceholders.otherApiKey]),
  ];
  for (const [name, value] of Object.entries(headers)) {
    // A recording is played back with placeholders, in which there is nothing to hide.
    if (openHeaders.has(name.toLowerCase()) || value === headerPlaceholder(name)) continue;
    // A target may repeat only the token of "Bearer token" or "name=token".
    const words = [value, ...value.split(/[\s=;,]+/)].filter((word) => word.length >= secretLengthMin);
    secrets.push(...words.flatMap(spellings).map((word): [string, string] => [word, headerPlaceholder(name)]));
  }
  // A recording is played back with placeholders as keys: what stands for itself hides nothing.
  const first = new Map(secrets.toReversed());
  const distinct = [...first].toReversed().filter(([word, shown]) => word !== '' && word !== shown);
  const longestFirst = distinct.toSorted(([a], [b]) => b.length - a.length);
  return (text) =>
    longestFirst.reduce((rest, [word, shown]) => (rest.includes(word) ? replaced(rest, word, shown) : rest), text);
}

/** Replaces a word. A short one, as the key of a mock, is replaced only where it is no part of another word. */
function replaced(text: string, word: string, shown: string): string {
  // A function, because "$S" in a replacement text has a meaning of its own.
  if (word.length >= secretLengthMin) return text.replaceAll(word, () => shown);
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, Math.max(from, at + 1))) {
    const end = at + word.length;
    if (/\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(end))) continue;
    parts.push(text.slice(from, at), shown);
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}

/** Headers as they may be shown: one of the command line is hidden by its name, however short its value is. */
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

/** What stands in the place of the value of a header of the command line; its own value where that is no secret. */
export function headerPlaceholders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      openHeaders.has(name.toLowerCase()) ? value : headerPlaceholder(name),
    ]),
  );
}

function spellings(secret: string): string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

function headerPlaceholder(name: string): string {
  return `<value of ${name}>`;
}
