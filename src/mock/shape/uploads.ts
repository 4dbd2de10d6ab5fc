import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { ParsedRequest } from '#operations/operation.ts';
import { derivedId } from '../known-ids.ts';

/**
 * Adapts the response of an upload operation to the files that the request names, in the same order. In a list of
 * files, adds URLs if the request asks for them.
 */
export function uploadsFor(shown: JsonObject, { body, query }: ParsedRequest): JsonObject {
  const files = shown['files'];
  if (isJsonObject(body) && typeof body['fileName'] === 'string' && 'fields' in shown) return formFor(shown, body);
  if (!Array.isArray(files)) return shown;
  if (isJsonObject(body) && Array.isArray(body['files'])) {
    const [example] = files;
    return isJsonObject(example)
      ? { ...shown, files: body['files'].map((file, at) => uploadFor(example, file, at)) }
      : shown;
  }
  return query['includeUrls'] === true ? { ...shown, files: files.map(withAddress) } : shown;
}

/** Inserts the file name and content type of the request into an upload form of V2. */
function formFor(shown: JsonObject, { fileName, contentType }: JsonObject): JsonObject {
  const fields = isJsonObject(shown['fields']) ? shown['fields'] : {};
  const type = typeof contentType === 'string' ? { 'Content-Type': contentType } : {};
  return { ...shown, fileName: fileName ?? null, fields: { ...fields, ...type } };
}

/**
 * Returns the entry of the response for one file of an upload. The first file gets the id of the example; each other
 * file gets an id of its own.
 */
function uploadFor(example: JsonObject, file: JsonValue, at: number): JsonObject {
  const name = isJsonObject(file) && typeof file['name'] === 'string' ? file['name'] : 'file';
  const storedName = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_');
  const folder = textOrEmpty(example['path']).includes('/') ? 'uploads/' : '';
  const id = at === 0 ? fileId : derivedId(`file ${at} ${name}`);
  return {
    ...example,
    ...('id' in example ? { id } : {}),
    uploadUrl: textOrEmpty(example['uploadUrl']).replace(fileId, id),
    name,
    path: `${folder}${storedName}`,
    ...('storedName' in example ? { storedName } : {}),
  };
}

/** Id of the file in the examples. */
export const fileId = '0c6e5b1a-9f42-4e7d-8b35-6a1d2c3e4f50';

const address = 'https://svc.example/files/';

function withAddress(file: JsonValue): JsonValue {
  if (!isJsonObject(file)) return file;
  return { ...file, url: `${address}${encodeURIComponent(textOrEmpty(file['path']))}` };
}

function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
