import { readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Route } from '#contract/http-messages.ts';

/** Generation of a document in generated/openapi. */
export type Version = Route['version'];

/** Response schemas of a bundled OpenAPI document. Locations are JSON pointers that begin with `#`. */
export interface BundledDocument {
  /** Places of response schemas by operation and status, such as `getSession 200`. */
  readonly answers: ReadonlyMap<string, string>;
  /** Returns the schema at a place, and its own place after following references. */
  readonly schemaAt: (pointer: string) => readonly [pointer: string, schema: JsonObject];
}

const opened = new Map<Version, BundledDocument>();

/** Opens the bundled document of a generation. */
export function bundledDocument(version: Version): BundledDocument {
  const known = opened.get(version);
  if (known !== undefined) return known;
  const whole: unknown = JSON.parse(readFileSync(`generated/openapi/${version}.json`, 'utf8'));
  const document = { answers: getAnswers(whole), schemaAt: (pointer: string) => referred(whole, pointer) };
  opened.set(version, document);
  return document;
}

/** Escapes a member's name as a segment of a JSON pointer. */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function getAnswers(whole: unknown): Map<string, string> {
  const operations = membersAt(whole, '#/paths').flatMap(([path]) => membersAt(whole, path));
  return new Map(
    operations.flatMap(([place, operation]) =>
      membersAt(whole, `${place}/responses`).flatMap(([response]) => {
        const [at] = referred(whole, response);
        const schema = `${at}/content/application~1json/schema`;
        const status = response.slice(response.lastIndexOf('/') + 1);
        const id = operation['operationId'];
        return typeof id !== 'string' || valueAt(whole, schema) === undefined
          ? []
          : [[`${id} ${status}`, schema] as const];
      }),
    ),
  );
}

/** Returns the object members of the object at a place, with their places. */
function membersAt(whole: unknown, pointer: string): (readonly [string, JsonObject])[] {
  const value = valueAt(whole, pointer);
  return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, member]) =>
    isJsonObject(member) ? [[`${pointer}/${pointerPart(name)}`, member] as const] : [],
  );
}

function referred(whole: unknown, pointer: string): readonly [string, JsonObject] {
  const found = valueAt(whole, pointer);
  if (!isJsonObject(found)) return [pointer, {}];
  const reference = found['$ref'];
  return typeof reference === 'string' ? referred(whole, reference) : [pointer, found];
}

function valueAt(whole: unknown, pointer: string): unknown {
  const parts = pointer.slice(2).split('/');
  return parts.reduce<unknown>((value, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }, whole);
}
