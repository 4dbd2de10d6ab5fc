import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { limitOf } from '#contract/limit-of.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { parseJsonFile, readTextFile } from '#conformance/harness/data-file.ts';
import { SuiteError, type SuiteErrorText } from '#conformance/harness/suite-error.ts';
import { documentPath, documentVersions } from '../documents.ts';
import { fillEnums } from '../fill-enums.ts';
import { fillCommonResponses, sourceNames } from './source-names.ts';

/** What a document is, for messages. */
const documentUse = {
  expected: 'v2, v3, v4, an OpenAPI 3.1 document (JSON or YAML), or a folder with v3.json',
  next: '`svc spec bundle --out FOLDER` writes such documents',
  bytesMax: limitOf(defaultRules, 'documentFile'),
};

/** Returns the error for an argument that cannot be compared. */
export function notComparable(found: string, { expected, next }: Partial<SuiteErrorText> = {}): SuiteError {
  const usual = documentUse;
  return new SuiteError('usage', { found, expected: expected ?? usual.expected, next: next ?? usual.next });
}

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
 * @throws SuiteError `usage` when there is no such file, or it is no OpenAPI 3.1 document
 */
export async function loadDocuments(named: string): Promise<LoadedDocuments> {
  const version = documentVersions.find((candidate) => candidate === named);
  if (version !== undefined) return new Map([['', await load(documentPath(version))]]);
  return isFolder(named) ? loadFolder(named) : new Map([['', await load(named)]]);
}

function isFolder(named: string): boolean {
  try {
    return statSync(named).isDirectory();
  } catch {
    // The reader of files says what is wrong with it.
    return false;
  }
}

async function loadFolder(folder: string): Promise<LoadedDocuments> {
  const candidates = [bundles, sources].map((files) => files.filter(([, file]) => existsSync(join(folder, file))));
  const files = candidates.find((found) => found.length > 0);
  if (files === undefined) throw notComparable(`none of v2.json, v3.json, v4.json in ${folder}`);
  return new Map(
    await Promise.all(files.map(async ([version, file]) => [version, await load(join(folder, file))] as const)),
  );
}

async function load(file: string): Promise<JsonObject> {
  const text = readTextFile(file, documentUse);
  if (file.endsWith('.json')) parseJsonFile(text, { ...documentUse, name: file });
  const { dereference } = await loadOptional('documents', () => import('@readme/openapi-parser'));
  const document: unknown = await dereference(file, {
    dereference: { circular: 'ignore' },
    resolve: { file: true },
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw notComparable(`no readable document in ${file} (${reason})`);
  });
  const version = isJsonObject(document) ? document['openapi'] : undefined;
  if (isJsonObject(document) && typeof version === 'string' && version.startsWith('3.1')) {
    fillEnums(document, (table) => sourceNames(file, table));
    fillCommonResponses(document, file);
    return document;
  }
  const found = version === undefined ? 'none' : JSON.stringify(version);
  throw notComparable(`openapi ${found} in ${file}`, {
    expected: 'openapi "3.1.x"',
    next: 'convert the document first',
  });
}
