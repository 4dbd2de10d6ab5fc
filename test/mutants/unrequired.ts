import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Seen } from './mutant.ts';

/** Reads the bundled document of a generation. */
function readDocument(version: string): JsonObject {
  const document: unknown = JSON.parse(readFileSync(`generated/openapi/${version}.json`, 'utf8'));
  if (!isJsonObject(document)) throw new Error(`${version}: expected an object`);
  return document;
}

const documents = new Map(['v2', 'v3', 'v4'].map((version) => [version, readDocument(version)]));

/**
 * Returns a change of a successful response: members are left out that are null or have their default, unless a schema
 * of the generation requires a member of this name.
 */
export function withoutUnrequired({ url }: Seen, { status, body }: Given): Partial<Given> | undefined {
  const document = documents.get(/^\/api\/(v[234])\//.exec(url)?.[1] ?? '');
  if (document === undefined || status >= 300) return undefined;
  return { body: thin(body, namesIn(document)) };
}

/** Names of required members, and defaults of members, in the schemas of one document. */
interface Names {
  /** Names of members that at least one schema requires. A record without such a member could be invalid. */
  readonly required: Set<string>;
  /** Default values of the members of a V3 session, by name. */
  readonly defaults: Map<string, unknown>;
}

function namesIn(document: JsonObject): Names {
  const names: Names = { required: new Set(), defaults: new Map() };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isJsonObject(value)) return;
    const { required } = value;
    if (Array.isArray(required)) for (const name of required) names.required.add(String(name));
    Object.values(value).forEach(visit);
  };
  visit(document);
  for (const [name, member] of Object.entries(sessionMembers(document)))
    if (isJsonObject(member) && 'default' in member) names.defaults.set(name, member['default']);
  return names;
}

/** Returns the schemas of the members of the schema `Session` of a document; empty for a document without it. */
function sessionMembers({ components }: JsonObject): JsonObject {
  const session =
    isJsonObject(components) && isJsonObject(components['schemas']) ? components['schemas']['Session'] : {};
  return isJsonObject(session) && isJsonObject(session['properties']) ? session['properties'] : {};
}

function thin(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((item) => thin(item, names));
  if (!isJsonObject(value)) return value;
  const { required, defaults } = names;
  const isUnset = (name: string, member: unknown): boolean =>
    member === null || (defaults.has(name) && isDeepStrictEqual(member, defaults.get(name)));
  const kept = Object.entries(value).filter(([name, member]) => !isUnset(name, member) || required.has(name));
  // A null inside a schema is content of the client.
  return Object.fromEntries(
    kept.map(([name, member]) => [name, name === 'outputSchema' ? member : thin(member, names)]),
  );
}
