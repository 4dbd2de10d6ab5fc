import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, textOf } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { uniqueText } from '../core/text.ts';

/** A file that is to be stored. */
export interface SampleFile {
  name: string;
  text: string;
  contentType?: string;
}

/** One workspace that holds files. */
export interface WorkspaceFiles {
  id: string;
  generation: WorkspaceGeneration;
  /** Asks for an address for each file. */
  reserve(samples: readonly SampleFile[], options?: JsonObject, query?: Record<string, string>): Promise<Exchange>;
  /** Asks for addresses with a body that must be refused. */
  refuse(body: JsonObject): Promise<Exchange>;
  /** Sends the bytes to an address; with the declared type where none is given. */
  put(address: string, file: SampleFile, contentType?: string): Promise<Exchange>;
  /** Reserves and sends, one file after the other. */
  store(samples: readonly SampleFile[], query?: Record<string, string>): Promise<Stored>;
  list(query?: Record<string, string | number | boolean>, invalid?: boolean): Promise<Exchange>;
  size(): Promise<Exchange>;
  remove(path: string): Promise<Exchange>;
}

/** What came of storing files. */
export interface Stored {
  samples: readonly SampleFile[];
  reserved: Exchange;
  /** Addresses and paths in the order of the answer. */
  addresses: string[];
  paths: string[];
  sent: Exchange[];
}

/** Bytes of a text, as an upload counts them. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A new workspace, which the ledger owns; undefined when it was not made. */
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
    remove: (file) => operations.call(`${generation}.deleteWorkspaceFile`, { path, query: { path: file } }),
  };
  return workspaceFiles;
}

function declared({ name, text, contentType }: SampleFile): JsonObject {
  return { name, size: byteLength(text), ...(contentType === undefined ? {} : { contentType }) };
}

/** One member of each upload in an answer, as text; empty for an answer without uploads. */
export function uploads(exchange: Exchange, member: string): string[] {
  const files = memberAt(exchange.json, 'files');
  return Array.isArray(files) ? files.filter(isJsonObject).map((file) => textOf(file[member])) : [];
}

/** The generations that have workspaces. */
export const workspaceGenerations = ['v3', 'v4'] as const;

/** One of them. */
export type WorkspaceGeneration = (typeof workspaceGenerations)[number];
