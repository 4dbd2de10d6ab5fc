import type { Client } from 'openapi-fetch';
import type { paths } from '../../../generated/v4.ts';
import { read } from './connect.ts';

/** A file in the form in which `svc check-client` passes it. */
export interface GivenFile {
  readonly name: string;
  readonly contentType: string;
  readonly base64: string;
}

/** Uploads files to a new workspace, downloads them again, and removes the first file. V3 has the same operations. */
export async function exchangeFiles(client: Client<paths>, given: readonly GivenFile[]): Promise<object[]> {
  const { id } = await read(client.POST('/workspaces', { body: { name: 'check' } }));
  const path = { workspace_id: id };
  await upload(client, id, given);
  const list = { params: { path, query: { includeUrls: true, limit: 100 } } };
  const urls = async (): Promise<Map<string, string>> => {
    const { files } = await read(client.GET('/workspaces/{workspace_id}/files', list));
    return new Map(files.map((file) => [file.path, file.url ?? '']));
  };
  const found: { readonly path: string; readonly base64: string }[] = [];
  for (const [name, url] of await urls()) {
    let response = await fetch(url);
    // A new URL is requested if this URL has expired.
    if (response.status === 403) response = await fetch((await urls()).get(name) ?? '');
    if (!response.ok) throw new Error(`the download of ${name} was answered with ${response.status}`);
    found.push({ path: name, base64: Buffer.from(await response.arrayBuffer()).toString('base64') });
  }
  await client.DELETE('/workspaces/{workspace_id}/files', { params: { path, query: { path: found[0]?.path ?? '' } } });
  return found;
}

/** Reserves an upload URL for each file, then sends each file to its URL. */
async function upload(client: Client<paths>, id: string, given: readonly GivenFile[]): Promise<void> {
  const bytes = given.map(({ base64 }) => Buffer.from(base64, 'base64'));
  const announced = given.map(({ name, contentType }, at) => ({ name, contentType, size: bytes[at]?.length ?? 0 }));
  const { files } = await read(
    client.POST('/workspaces/{workspace_id}/files/upload', {
      params: { path: { workspace_id: id } },
      body: { files: announced },
    }),
  );
  for (const [at, { uploadUrl }] of files.entries()) {
    const headers = { 'Content-Type': given[at]?.contentType ?? '' };
    const { ok, status } = await fetch(uploadUrl, { method: 'PUT', headers, body: bytes[at] ?? null });
    if (!ok) throw new Error(`the upload of ${given[at]?.name} was answered with ${status}`);
  }
}
