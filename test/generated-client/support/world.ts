import createClient, { type Client } from 'openapi-fetch';
import { operations } from '#generated/operations.ts';
import { type StartedBackend, startBackend, testKey } from '../../support/start-backend.ts';

/** A generation of the interface. */
export type Version = 'v2' | 'v3' | 'v4';

/** A running reference backend as the clients that are generated from one document see it. */
export interface World {
  readonly started: StartedBackend;
  /** A client that is typed by generated/<version>.ts; what it is answered is written down. */
  connect<Paths extends object>(): Client<Paths>;
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
  return {
    started,
    connect<Paths extends object>(): Client<Paths> {
      const client = createClient<Paths>({
        baseUrl: `${started.address}/api/${version}`,
        headers: { 'X-Service-API-Key': testKey },
      });
      client.use({
        onResponse({ request, schemaPath, response }) {
          // The public client parses every success but 204 as JSON (companion C7).
          const type = response.headers.get('content-type') ?? '';
          if (response.ok && response.status !== 204 && !type.startsWith('application/json')) {
            throw new Error(`${schemaPath}: found a success of type ${type}, expected application/json`);
          }
          if (response.ok) successes.add(`${request.method.toLowerCase()} ${schemaPath}`);
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
