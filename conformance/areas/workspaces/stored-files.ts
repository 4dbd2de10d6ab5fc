import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, textOf } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { uniqueText } from '../../core/text.ts';
import type { DeskGeneration } from './scenarios.ts';

/** A file that is to be stored. */
export interface Paper {
  name: string;
  text: string;
  contentType?: string;
}

/** One workspace that holds files. */
export interface Shelf {
  id: string;
  generation: DeskGeneration;
  /** Asks for an address for each file. */
  reserve(papers: readonly Paper[], options?: JsonObject, query?: Record<string, string>): Promise<Exchange>;
  /** Asks for addresses with a body that must be refused. */
  refuse(body: JsonObject): Promise<Exchange>;
  /** Sends the bytes to an address; with the declared type where none is given. */
  put(address: string, paper: Paper, contentType?: string): Promise<Exchange>;
  /** Reserves and sends, one file after the other. */
  store(papers: readonly Paper[], query?: Record<string, string>): Promise<Stored>;
  list(query?: Record<string, string | number | boolean>, invalid?: boolean): Promise<Exchange>;
  size(): Promise<Exchange>;
  remove(path: string): Promise<Exchange>;
}

/** What came of storing files. */
export interface Stored {
  papers: readonly Paper[];
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
export async function createShelf(drive: Drive, generation: DeskGeneration): Promise<Shelf | undefined> {
  const { operations } = drive;
  const body = { name: uniqueText(drive, `files ${generation}`) };
  const made = await operations.create('workspace', `${generation}.createWorkspace`, { body });
  const id = succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
  return id === undefined ? undefined : shelfOf(drive, generation, id);
}

function shelfOf({ operations, send }: Drive, generation: DeskGeneration, id: string): Shelf {
  const path = [id];
  const upload = `${generation}.uploadWorkspaceFiles` as const;
  const shelf: Shelf = {
    id,
    generation,
    reserve: (papers, options = {}, query = {}) =>
      operations.call(upload, { path, query, body: { files: papers.map(declared), ...options } }),
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
    store: async (papers, query) => {
      const reserved = await shelf.reserve(papers, {}, query);
      const [addresses, paths] = [uploads(reserved, 'uploadUrl'), uploads(reserved, 'path')];
      const sent: Exchange[] = [];
      for (const [index, address] of addresses.entries()) {
        const paper = papers[index];
        if (paper !== undefined) sent.push(await shelf.put(address, paper));
      }
      return { papers, reserved, addresses, paths, sent };
    },
    list: (query = {}, invalid = false) =>
      operations.call(`${generation}.listWorkspaceFiles`, { path, query, invalid }),
    size: () => operations.call(`${generation}.getWorkspaceSize`, { path }),
    remove: (file) => operations.call(`${generation}.deleteWorkspaceFile`, { path, query: { path: file } }),
  };
  return shelf;
}

function declared({ name, text, contentType }: Paper): JsonObject {
  return { name, size: byteLength(text), ...(contentType === undefined ? {} : { contentType }) };
}

/** One member of each upload in an answer, as text; empty for an answer without uploads. */
export function uploads(exchange: Exchange, member: string): string[] {
  const files = memberAt(exchange.json, 'files');
  return Array.isArray(files) ? files.filter(isJsonObject).map((file) => textOf(file[member])) : [];
}
