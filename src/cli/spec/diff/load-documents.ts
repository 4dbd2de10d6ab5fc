import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, isJsonObject } from '#domain/json.ts';
import { loadOptional } from '#domain/load-optional.ts';
import { documentPath, documentVersions } from '../documents.ts';
import { fillEnums } from '../fill-enums.ts';
import { fillCommonResponses, sourceNames } from './source-names.ts';

/** What was named cannot be compared; the message says what was found, what is expected, and what to do. */
export class DiffUsageError extends Error {}

/** Documents by name: `v2`, `v3`, `v4` for the files of a folder, the empty name for a single document. */
export type LoadedDocuments = ReadonlyMap<string, JsonObject>;

/** Files that a folder may hold, best first: what `svc spec bundle` writes, else the source of one generation. */
const bundles = documentVersions.map((version) => [version, `${version}.json`] as const);
const sources = documentVersions.map((version) => [version, join(version, 'openapi.yaml')] as const);

/**
 * Reads what an argument of `svc spec diff` names: `v2`, `v3` or `v4` for a document of this package, a file (JSON or YAML), or
 * a folder with v2.json, v3.json, v4.json or with v2/openapi.yaml and so on. References are replaced by what they point to,
 * also in other files (and at web addresses, where a document names one); one that contains itself stays as it is.
 *
 * @throws DiffUsageError when there is no such file, or it is no OpenAPI 3.1 document
 */
export async function loadDocuments(named: string): Promise<LoadedDocuments> {
  const version = documentVersions.find((candidate) => candidate === named);
  if (version !== undefined) return new Map([['', await load(documentPath(version))]]);
  if (!existsSync(named)) {
    throw new DiffUsageError(
      `${named}: found no such file or folder, expected v2, v3, v4, a document (JSON or YAML), or a folder with v3.json. ` +
        '"svc spec bundle --out <folder>" writes one',
    );
  }
  if (!statSync(named).isDirectory()) return new Map([['', await load(named)]]);
  return loadFolder(named);
}

async function loadFolder(folder: string): Promise<LoadedDocuments> {
  const candidates = [bundles, sources].map((files) => files.filter(([, file]) => existsSync(join(folder, file))));
  const files = candidates.find((found) => found.length > 0);
  if (files === undefined) {
    throw new DiffUsageError(
      `${folder}: found none of v2.json, v3.json, v4.json, expected at least one. "svc spec bundle --out ${folder}" writes them`,
    );
  }
  return new Map(
    await Promise.all(files.map(async ([version, file]) => [version, await load(join(folder, file))] as const)),
  );
}

async function load(file: string): Promise<JsonObject> {
  const { dereference } = await loadOptional('documents', () => import('@readme/openapi-parser'));
  const document: unknown = await dereference(file, {
    dereference: { circular: 'ignore' },
    resolve: { file: true },
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DiffUsageError(`${file}: found no readable document (${reason}), expected OpenAPI 3.1 as JSON or YAML`);
  });
  const version = isJsonObject(document) ? document['openapi'] : undefined;
  if (isJsonObject(document) && typeof version === 'string' && version.startsWith('3.1')) {
    fillEnums(document, (table) => sourceNames(file, table));
    fillCommonResponses(document, file);
    return document;
  }
  const found = version === undefined ? 'none' : JSON.stringify(version);
  throw new DiffUsageError(`${file}: found openapi ${found}, expected "3.1.x". Convert the document first`);
}
