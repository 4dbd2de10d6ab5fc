import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { secretMembers } from '#contract/violations.ts';

/** What stands where nobody may look. */
export const hidden = '(hidden)';

/** Headers whose values say nothing about anybody. */
const shownHeaders = /^(accept.*|connection|content-.+|host|origin|prefer|sec-fetch-.+|user-agent|x-request-id)$/;
const secretName = /key|token|secret|sign|auth|password/i;

/** The headers of a request, those with a meaning of their own by name alone. */
export function shownHeadersOf(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, shownHeaders.test(name) ? value : hidden] as const],
    ),
  );
}

/** A value without what its members hold in secret, however deep. */
export function withoutSecrets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      inner !== null && secretMembers.includes(name) ? hidden : withoutSecrets(inner),
    ]),
  );
}

/** A query with its question mark; empty for none. */
export function shownQuery(query: URLSearchParams): string {
  const pairs = Array.from(query, ([name, value]) => `${name}=${secretName.test(name) ? hidden : value}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
