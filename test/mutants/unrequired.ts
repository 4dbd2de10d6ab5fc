import { readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Given, Seen } from './mutant.ts';

/** The bundled document of a generation. */
function readDocument(version: string): JsonObject {
  const document: unknown = JSON.parse(readFileSync(`generated/openapi/${version}.json`, 'utf8'));
  if (!isJsonObject(document)) throw new Error(`${version}: expected an object`);
  return document;
}

const documents = new Map(['v2', 'v3', 'v4'].map((version) => [version, readDocument(version)]));

/** Returns a JSON response without the null members that no schema of its generation requires. */
export function withoutUnrequired({ url }: Seen, { status, body }: Given): Partial<Given> | undefined {
  const document = documents.get(/^\/api\/(v[234])\//.exec(url)?.[1] ?? '');
  if (document === undefined || status >= 300) return undefined;
  return { body: thin(body, requiredNames(document)) };
}

/** Names that some schema of a document requires: leaving one out could be wrong. */
function requiredNames(document: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isJsonObject(value)) return;
    const { required } = value;
    if (Array.isArray(required)) for (const name of required) names.add(String(name));
    Object.values(value).forEach(visit);
  };
  visit(document);
  return names;
}

function thin(value: unknown, required: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => thin(item, required));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => member !== null || required.has(name));
  // A null inside a schema is content of the client.
  return Object.fromEntries(
    kept.map(([name, member]) => [name, name === 'outputSchema' ? member : thin(member, required)]),
  );
}
