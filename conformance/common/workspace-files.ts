import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, toText } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { uniqueText } from '../core/text.ts';

/** A file to store. */
export interface SampleFile {
  name: string;
  text: string;
  contentType?: string;
}

/** One workspace that holds files. */
export interface WorkspaceFiles {
  id: string;
  generation: WorkspaceGeneration;
  /** Requests an upload URL for each file. */
  reserve(samples: readonly SampleFile[], options?: JsonObject, query?: Record<string, string>): Promise<Exchange>;
  /** Requests upload URLs with a body that the target must refuse. */
  refuse(body: JsonObject): Promise<Exchange>;
  /**
   * Uploads the bytes of a file to a URL. The content type is that of the file by default, or
   * `application/octet-stream` if the file has none.
   */
  put(address: string, file: SampleFile, contentType?: string): Promise<Exchange>;
  /** Requests the upload URLs of all files at once, then uploads the files one after another. */
  store(samples: readonly SampleFile[], query?: Record<string, string>): Promise<Stored>;
  list(query?: Record<string, string | number | boolean>, invalid?: boolean): Promise<Exchange>;
  size(): Promise<Exchange>;
  remove(path?: string): Promise<Exchange>;
}

/** Result of storing files. */
export interface Stored {
  samples: readonly SampleFile[];
  reserved: Exchange;
  /** Upload URLs in the order of the answer; `paths` has the paths of the files in the same order. */
  addresses: string[];
  paths: string[];
  sent: Exchange[];
}

/** Returns the number of bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Creates a workspace, which the ledger records. Returns undefined when it was not created. */
export async function createWorkspaceFiles(
  context: ScenarioContext,
  generation: WorkspaceGeneration,
): Promise<WorkspaceFiles | undefined> {
  const { operations } = context;
  const body = { name: uniqueText(context, `files ${generation}`) };
  const made = await operations.create('workspace', `${generation}.createWorkspace`, { body });
  const id = succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
  return id === undefined ? undefined : workspaceFilesFor(context, generation, id);
}

function workspaceFilesFor(
  { operations, send }: ScenarioContext,
  generation: WorkspaceGeneration,
  id: string,
): WorkspaceFiles {
  const path = [id];
  const upload = `${generation}.uploadWorkspaceFiles` as const;
  const workspaceFiles: WorkspaceFiles = {
    id,
    generation,
    reserve: (samples, options = {}, query = {}) =>
      operations.call(upload, { path, query, body: { files: samples.map(declared), ...options } }),
    refuse: (body) => operations.call(upload, { path, body, invalid: true }),
    put: (address, { text, contentType }, type = contentType ?? 'application/octet-stream') =>
      send({
        generation: 'other',
        operation: 'sendFile',
        method: 'PUT',
        path: address,
        key: 'none',
        rawBody: text,
        headers: { 'content-type': type },
      }),
    store: async (samples, query) => {
      const reserved = await workspaceFiles.reserve(samples, {}, query);
      const [addresses, paths] = [uploads(reserved, 'uploadUrl'), uploads(reserved, 'path')];
      const sent: Exchange[] = [];
      for (const [index, address] of addresses.entries()) {
        const file = samples[index];
        if (file !== undefined) sent.push(await workspaceFiles.put(address, file));
      }
      return { samples, reserved, addresses, paths, sent };
    },
    list: (query = {}, invalid = false) =>
      operations.call(`${generation}.listWorkspaceFiles`, { path, query, invalid }),
    size: () => operations.call(`${generation}.getWorkspaceSize`, { path }),
    remove: (file) =>
      operations.call(`${generation}.deleteWorkspaceFile`, {
        path,
        ...(file === undefined ? { invalid: true } : { query: { path: file } }),
      }),
  };
  return workspaceFiles;
}

function declared({ name, text, contentType }: SampleFile): JsonObject {
  return { name, size: byteLength(text), ...(contentType === undefined ? {} : { contentType }) };
}

/** Returns one member of each upload in an answer, as text; empty for an answer without uploads. */
export function uploads(exchange: Exchange, member: string): string[] {
  const files = memberAt(exchange.json, 'files');
  return Array.isArray(files) ? files.filter(isJsonObject).map((file) => toText(file[member])) : [];
}

/** Generations that have workspaces. */
export const workspaceGenerations = ['v3', 'v4'] as const;

/** A generation that has workspaces. */
export type WorkspaceGeneration = (typeof workspaceGenerations)[number];
