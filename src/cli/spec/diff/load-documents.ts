import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, isJsonObject, type JsonValue } from '#lib/json.ts';
import type { FileInfo } from '@apidevtools/json-schema-ref-parser';
import { loadOptional } from '#contract/load-optional.ts';
import { defaultRules, getLimit } from '#contract/rule-book.ts';
import { type FileUse, parseJsonFile, parseYamlFile, readTextFile } from '#conformance/core/data-file.ts';
import { SuiteError, type SuiteErrorText } from '#conformance/core/suite-error.ts';
import { documentPath, documentVersions, fillEnums } from '../documents.ts';

const valuesMax = getLimit(defaultRules, 'documentValues');
const timeoutMs = getLimit(defaultRules, 'documentTime');

/** Texts for error messages about a document argument, and the limits of each file of a document. */
const documentUse: FileUse = {
  expected: 'v2, v3, v4, an OpenAPI 3.1 document (JSON or YAML), or a folder with v3.json',
  next: '`svc spec bundle --out FOLDER` writes such documents',
  bytesMax: getLimit(defaultRules, 'documentFile'),
  valuesMax,
};

/**
 * Returns the usage error for an argument that cannot be compared; `expected` and `next` default to the texts of
 * `documentUse`.
 */
export function notComparable(found: string, { expected, next }: Partial<SuiteErrorText> = {}): SuiteError {
  const usual = documentUse;
  return new SuiteError('usage', { found, expected: expected ?? usual.expected, next: next ?? usual.next });
}

/** Documents by name: `v2`, `v3`, `v4` for the files of a folder, '' for a single document. */
export type LoadedDocuments = ReadonlyMap<string, JsonObject>;

/**
 * File names by API version that `svc spec bundle` writes. A folder is searched for them first, and for the file names
 * in `sources` only if none of them exists.
 */
const bundles = documentVersions.map((version) => [version, `${version}.json`] as const);
const sources = documentVersions.map((version) => [version, join(version, 'openapi.yaml')] as const);

/**
 * Loads the documents that an argument of `svc spec diff` names. `v2`, `v3` or `v4` is a document of this package; a
 * path is a file (JSON or YAML) or a folder. A folder contains v2.json, v3.json, v4.json, or v2/openapi.yaml and so on.
 * References within and between files are resolved; recursive references stay.
 * @throws SuiteError `usage` for a missing file, a file that is no OpenAPI 3.1 document, a reference to a URL, and a
 * document that exceeds `documentFile` bytes in one file, `documentTime`, or `documentValues` values with all
 * references resolved
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
    // The file reader reports the error later.
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
  const document = await readDereferenced(file);
  if (countValues(document, new Map()) > valuesMax)
    throw notComparable(`more than ${valuesMax} values in ${file} with its references resolved`);
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

/**
 * Reads a file and resolves its references, within the limits of `documentUse` and the time `documentTime`. Rejects
 * with SuiteError `usage` for a file that cannot be read, parsed or resolved.
 */
async function readDereferenced(file: string): Promise<unknown> {
  const { dereference } = await loadOptional('documents', () => import('@apidevtools/json-schema-ref-parser'));
  // The library replaces the errors of its readers. This variable keeps the first original error.
  let refusal: unknown;
  const keepRefusal = <Given, Result>(read: (given: Given) => Result) => {
    return (given: Given): Result => {
      try {
        return read(given);
      } catch (error) {
        refusal ??= error;
        throw error;
      }
    };
  };
  const nameFile = (url: string): string => (toPath(url) === resolve(file) ? file : toPath(url));
  const read = keepRefusal(({ url }: FileInfo) => readTextFile(nameFile(url), documentUse));
  const parse = keepRefusal(({ url, data }: FileInfo) => parseText(nameFile(url), String(data)));
  return dereference(file, {
    timeoutMs,
    dereference: { circular: 'ignore' },
    parse: { json: false, yaml: false, text: false, binary: false, bounded: { canParse: true, parse } },
    resolve: { http: false, file: { canRead: true, read } },
  }).catch((error: unknown) => {
    if (refusal !== undefined) throw refusal;
    const reason = error instanceof Error ? error.message : String(error);
    throw notComparable(`no readable document in ${file} (${reason})`);
  });
}

/**
 * Returns the names in a rule table that a source document references, for example `models.v3`. Reads the folder
 * `rules` beside the document's folder, so that the document of an older checkout uses its own rules. Empty when the
 * file or the table does not exist.
 */
function sourceNames(document: string, table: string): string[] {
  const [name = '', version = ''] = table.split('.');
  const file = join(dirname(document), '..', 'rules', `${name}.yaml`);
  const generation = readObject(file)[version];
  const rows = isJsonObject(generation) && Array.isArray(generation[name]) ? generation[name] : [];
  return rows.flatMap((row) => (isJsonObject(row) && typeof row['name'] === 'string' ? [row['name']] : []));
}

/**
 * Adds each response of common-responses.yaml, with resolved references, to those operations of a source document whose
 * method the response lists. Changes the document in place. Responses that an operation already has stay. Does nothing
 * when the rules beside the document have no such file.
 */
function fillCommonResponses(document: JsonObject, file: string): void {
  const spec = join(dirname(file), '..');
  const tables = readObject(join(spec, 'rules', 'common-responses.yaml'));
  const rows = Array.isArray(tables['responses']) ? tables['responses'].filter(isJsonObject) : [];
  for (const { status, response, methods } of rows) {
    const known = Array.isArray(methods) ? methods : [];
    const answer = withSchema(readObject(join(spec, 'shared', 'responses', `${textOrEmpty(response)}.yaml`)), spec);
    for (const item of Object.values(isJsonObject(document['paths']) ? document['paths'] : {}))
      for (const [method, operation] of Object.entries(isJsonObject(item) ? item : {})) {
        const answers = isJsonObject(operation) ? operation['responses'] : undefined;
        if (known.includes(method) && isJsonObject(answers)) answers[textOrEmpty(status)] ??= structuredClone(answer);
      }
  }
}

/**
 * Replaces the `$ref` of the JSON body of a shared response with the content of the referenced file, in place, and
 * returns the response. The file must not contain references itself.
 */
function withSchema(response: JsonObject, spec: string): JsonObject {
  const content = isJsonObject(response['content']) ? response['content'] : {};
  const body = content['application/json'];
  const schema = isJsonObject(body) && isJsonObject(body['schema']) ? body['schema']['$ref'] : undefined;
  if (isJsonObject(body) && typeof schema === 'string')
    body['schema'] = readObject(join(spec, 'shared', 'responses', schema));
  return response;
}

function readObject(file: string): JsonObject {
  const value = existsSync(file) ? parseText(file, readTextFile(file, documentUse)) : {};
  return isJsonObject(value) ? value : {};
}

/** Returns the path of a referenced file; throws SuiteError `usage` for a reference to a URL. */
function toPath(address: string): string {
  const url = new URL(address, 'file:///');
  if (url.protocol === 'file:') return fileURLToPath(url);
  throw notComparable(`a reference to ${address}`, {
    expected: 'references to files',
    next: 'download that document, and refer to the file',
  });
}

/**
 * Parses a JSON text for a file name that ends with `.json`, else a YAML text. Throws SuiteError `usage` for invalid
 * text and for text above the limits of `documentUse`.
 */
function parseText(file: string, text: string): unknown {
  const use = { ...documentUse, name: file };
  return file.endsWith('.json') ? parseJsonFile(text, use) : parseYamlFile(text, use).value;
}

/**
 * Counts the values of a document. An object that occurs in several positions counts each time; a recursive reference
 * counts as one value. `counts` caches the count of each object.
 */
function countValues(value: unknown, counts: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counts.get(value);
  if (known !== undefined) return known;
  // Ends a cycle.
  counts.set(value, 1);
  const total = Object.values(value).reduce<number>((sum, member) => sum + countValues(member, counts), 1);
  counts.set(value, total);
  return total;
}

function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
