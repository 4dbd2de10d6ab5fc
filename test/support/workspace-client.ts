import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#lib/json.ts';
import type { ApiClient } from './api-client.ts';
import type { StartedBackend } from './start-backend.ts';

/** An upload that a test requests. */
export interface Wanted {
  readonly name: string;
  readonly size: number;
  readonly contentType?: string;
}

/** Operations of one API client on one workspace. */
export interface Desk {
  /** Requests upload URLs; throws if the service refuses the request. */
  reserve(body: object, query?: string): Promise<JsonObject[]>;
  /** Requests one upload URL. */
  requestUploadUrl(file: Wanted, options?: object): Promise<string>;
  /** Stores a text file and returns its path. */
  store(name: string, text: string, query?: string): Promise<string>;
  /** Returns the listed files. */
  files(query?: string): Promise<JsonObject[]>;
  /** Returns the paths of the listed files. */
  paths(query?: string): Promise<unknown[]>;
}

/** Creates a workspace and returns its id. */
export async function makeWorkspace(api: ApiClient, name = 'desk'): Promise<string> {
  return String((await api.call('POST', '/workspaces', { name })).body['id']);
}

/** Creates a client for an existing workspace. */
export function desk(api: ApiClient, workspace: string): Desk {
  const reserve = async (body: object, query = ''): Promise<JsonObject[]> => {
    const answer = await api.call('POST', `/workspaces/${workspace}/files/upload${query}`, body);
    if (answer.status !== 200) throw new Error(`uploads were refused: ${JSON.stringify(answer)}`);
    return answer.body['files'] as JsonObject[];
  };
  const files = async (query = ''): Promise<JsonObject[]> =>
    (await api.call('GET', `/workspaces/${workspace}/files${query}`)).body['files'] as JsonObject[];
  return {
    reserve,
    files,
    paths: async (query) => (await files(query)).map((file) => file['path']),
    async requestUploadUrl(file, options = {}) {
      const [upload] = await reserve({ files: [file], ...options });
      return String(upload?.['uploadUrl']);
    },
    async store(name, text, query) {
      const bytes = Buffer.from(text);
      const [upload] = await reserve({ files: [{ name, size: bytes.length }] }, query);
      const { status, body } = await put(String(upload?.['uploadUrl']), bytes);
      if (status !== 200) throw new Error(`the upload was refused: ${JSON.stringify(body)}`);
      return String(body['path']);
    },
  };
}

/** Sends bytes to an upload URL. */
export async function put(
  address: string,
  bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  contentType = 'application/octet-stream',
): Promise<{ status: number; body: JsonObject }> {
  const stream = bytes instanceof ReadableStream ? { duplex: 'half' as const } : {};
  const response = await fetch(address, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: bytes,
    ...stream,
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

/** Returns the names of all files in the blob folder of a backend, incomplete ones included. */
export function blobNames({ dataFolder }: StartedBackend): string[] {
  return readdirSync(join(dataFolder, 'blobs'));
}
