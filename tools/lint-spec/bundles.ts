import { readFileSync } from 'node:fs';
import type { JsonObject } from '#lib/json.ts';
import { type Version, versions } from '../generate/bundle.ts';
import { parseJsonObject } from '../generate/parse.ts';

/** The generated documents by generation, as they lie in generated/openapi. */
export function loadBundles(): ReadonlyMap<Version, JsonObject> {
  return new Map(
    versions.map((version) => {
      const file = bundleFile(version);
      return [version, parseJsonObject(readFileSync(file, 'utf8'), file)];
    }),
  );
}

/** Where the bundled document of a generation lies. */
export function bundleFile(version: Version): string {
  return `generated/openapi/${version}.json`;
}
