import { providerRequests } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject, toText } from '../core/json.ts';
import type { WireFamily } from '../core/provider-call.ts';
import { isSpelled, spelledAt } from './spelled.ts';

/** Documented members of the requests of a provider family. */
interface Documented {
  strict: boolean;
  required: readonly string[];
  /** Documented type of each member, by its dotted path. */
  members: Readonly<Record<string, string>>;
  /** For each member that accepts only listed values, by its dotted path: the documented values. */
  words: Readonly<Record<string, readonly string[]>>;
}

/**
 * Returns a message for each violation of the provider's documentation. `lenient` allows undocumented members, for
 * requests with beta features.
 */
export function memberViolations(family: WireFamily, body: JsonObject, lenient: boolean): string[] {
  const documented: Documented | undefined = providerRequests.families.find((row) => row.family === family);
  if (documented === undefined) return [];
  return [
    ...documented.required.filter((name) => body[name] === undefined).map((name) => `${name} is missing`),
    ...(documented.strict && !lenient ? unknown(documented, body, '') : []),
    ...Object.entries(documented.members).flatMap(([path, type]) => wrongType(body, path, type)),
    ...Object.entries(documented.words).flatMap(([path, words]) => wrongWord(body, path, words)),
  ];
}

// Reports unknown members only in objects with documented members. Other objects contain data of the caller, or have
// their own documentation.
function unknown({ members }: Pick<Documented, 'members'>, body: JsonObject, at: string): string[] {
  const paths = Object.keys(members);
  return Object.entries(body).flatMap(([name, value]) => {
    const path = at + name;
    const known = paths.find((one) => isSpelled(one, path));
    if (known === undefined) return [`${path} is no member that the provider knows`];
    const isClosed = paths.some((one) => one.startsWith(`${known}.`));
    return isClosed && isJsonObject(value) ? unknown({ members }, value, `${path}.`) : [];
  });
}

function wrongType(body: JsonObject, path: string, type: string): string[] {
  const value = spelledAt(body, path);
  if (value === undefined || value === null || type === 'any' || isOfType(value, type)) return [];
  return [`${path} is ${toText(value).slice(0, 80)}; the provider takes ${type}`];
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function wrongWord(body: JsonObject, path: string, words: readonly string[]): string[] {
  const value = spelledAt(body, path);
  if (typeof value !== 'string' || words.includes(value.toLowerCase())) return [];
  return [`${path} is "${value}"; the provider takes ${words.join(', ')}`];
}
