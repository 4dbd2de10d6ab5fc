import createClient, { type Client } from 'openapi-fetch';
import { type JsonObject, isJsonObject } from '#domain/json.ts';
import { operations } from '#generated/operations.ts';
import { type StartedBackend, startBackend, testKey } from '../../support/start-backend.ts';
import { type Answered, linksOf } from './follow-links.ts';

/** A generation of the interface. */
export type Version = 'v2' | 'v3' | 'v4';

/** A running reference backend as the clients that are generated from one document see it. */
export interface World {
  readonly started: StartedBackend;
  /**
   * A client that is typed by generated/<version>.ts; what it is answered is written down. For the backend of this world,
   * unless the address of another one is given.
   */
  connect<Paths extends object>(address?: string): Client<Paths>;
  /** What became of the links of all answers: link -> the statuses it led to. */
  readonly followed: ReadonlyMap<string, readonly number[]>;
  /** Operations that have answered with a success, in document order, for example `createRun`. */
  answered(): string[];
  stop(): Promise<void>;
}

/** One resource of a generation: calls every operation of it through the generated client and looks at the answers. */
export type Script = (world: World) => Promise<void>;

/** Starts a backend with simulated browsers and the offline planner with its test tasks. */
export async function startWorld(version: Version): Promise<World> {
  const started = await startBackend();
  const successes = new Set<string>();
  const followed = new Map<string, number[]>();
  const headers = { 'X-Service-API-Key': testKey };
  const follow = async (baseUrl: string, answered: Answered): Promise<void> => {
    for (const { link, address } of linksOf(version, answered)) {
      const response = await fetch(`${baseUrl}${address}`, { headers });
      await response.arrayBuffer();
      followed.set(link, [...(followed.get(link) ?? []), response.status]);
    }
  };
  return {
    started,
    followed,
    connect<Paths extends object>(address = started.address): Client<Paths> {
      const baseUrl = `${address}/api/${version}`;
      const client = createClient<Paths>({ baseUrl, headers });
      client.use({
        async onResponse({ request, schemaPath, params, response }) {
          if (!response.ok) return;
          const method = request.method.toLowerCase();
          successes.add(`${method} ${schemaPath}`);
          if (response.status === 204) return;
          const body = await jsonOf(response);
          await follow(baseUrl, { method, schemaPath, path: params.path ?? {}, status: response.status, body });
        },
      });
      return client;
    },
    answered: () =>
      listed(version)
        .filter(({ method, path }) => successes.has(`${method} ${path}`))
        .map(({ id }) => id),
    stop: () => started.stop(),
  };
}

/** Ids of all operations of a generation, in document order. */
export function documented(version: Version): string[] {
  return listed(version).map(({ id }) => id);
}

function listed(version: Version): { id: string; method: string; path: string }[] {
  return operations.filter((operation) => operation.version === version);
}

/** The public client parses every success but 204 as JSON (companion C7). */
async function jsonOf(response: Response): Promise<JsonObject> {
  const type = response.headers.get('content-type') ?? '';
  const body: unknown = type.startsWith('application/json') ? await response.clone().json() : undefined;
  if (isJsonObject(body)) return body;
  throw new Error(`${response.url}: found a success of type ${type}, expected a JSON object`);
}
