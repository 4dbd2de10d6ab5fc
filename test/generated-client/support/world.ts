import type { Client } from 'openapi-fetch';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { operations } from '#generated/operations.ts';
import type { Version } from '../../generators/start-operations.ts';
import { type StartedBackend, startBackend, testKey } from '../../support/start-backend.ts';
import { type Answered, listLinkRequests } from './follow-links.ts';
import type { Library, Received } from './libraries.ts';

/** A running reference backend for the generated clients of one document. */
export interface World {
  readonly started: StartedBackend;
  /** Returns a typed client that records its responses. It calls the backend of this world if `address` is missing. */
  connect<Paths extends object>(address?: string): Client<Paths>;
  /** Statuses of the responses to requests that follow a link of the document, by the name of the link. */
  readonly followed: ReadonlyMap<string, readonly number[]>;
  /**
   * Responses that contradict the document: an undocumented status, for example `get /runs 418`, or a success with
   * another status than the success status of the operation.
   */
  readonly undocumented: readonly string[];
  /** Returns the ids of operations that succeeded, in document order, for example `createRun`. */
  answered(): string[];
  stop(): Promise<void>;
}

/**
 * A script for one resource. It calls every operation of the resource through the generated client and checks the
 * responses.
 */
export type Script = (world: World) => Promise<void>;

/** Starts a backend with simulated browsers and the offline planner with its test tasks. */
export async function startWorld(version: Version, library: Library): Promise<World> {
  const started = await startBackend();
  const successes = new Set<string>();
  const undocumented: string[] = [];
  const followed = new Map<string, number[]>();
  const follow = async (baseUrl: string, answered: Answered): Promise<void> => {
    for (const { link, address } of listLinkRequests(version, answered)) {
      const response = await fetch(`${baseUrl}${address}`, { headers: { 'X-Service-API-Key': testKey } });
      await response.arrayBuffer();
      followed.set(link, [...(followed.get(link) ?? []), response.status]);
    }
  };
  const record = async (baseUrl: string, { method: upper, schemaPath, path, response }: Received): Promise<void> => {
    const method = upper.toLowerCase();
    const { status } = response;
    const called = listed(version).find((one) => one.method === method && one.path === schemaPath);
    const expected = response.ok ? [called?.successStatus] : called?.statuses;
    if (expected?.includes(status) !== true) undocumented.push(`${method} ${schemaPath} ${status}`);
    if (!response.ok) return;
    successes.add(`${method} ${schemaPath}`);
    if (status === 204) return;
    await follow(baseUrl, { method, schemaPath, path, status, body: await parseResponse(response) });
  };
  return {
    started,
    followed,
    undocumented,
    connect<Paths extends object>(address = started.address): Client<Paths> {
      const baseUrl = `${address}/api/${version}`;
      return library.connect<Paths>({ baseUrl, apiKey: testKey, onAnswer: (received) => record(baseUrl, received) });
    },
    answered: () =>
      listed(version)
        .filter(({ method, path }) => successes.has(`${method} ${path}`))
        .map(({ id }) => id),
    stop: () => started.stop(),
  };
}

/** An operation of a document. */
interface Listed {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly successStatus: number;
  readonly statuses: readonly number[];
}

/** Returns the ids of all operations of a generation, in document order. */
export function documented(version: Version): string[] {
  return listed(version).map(({ id }) => id);
}

function listed(version: Version): Listed[] {
  return operations.filter((operation) => operation.version === version);
}

/**
 * Parses a successful response other than 204 as JSON, as the public client does (companion C7). Throws unless the
 * response is a JSON object.
 */
async function parseResponse(response: Response): Promise<JsonObject> {
  const type = response.headers.get('content-type') ?? '';
  const body: unknown = type.startsWith('application/json') ? await response.json() : undefined;
  if (isJsonObject(body)) return body;
  throw new Error(`${response.url}: found a success of type ${type}, expected a JSON object`);
}
