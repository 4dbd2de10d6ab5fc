import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import createClient, { type Client } from 'openapi-fetch';
import type { HttpMethod } from 'openapi-typescript-helpers';
import { operations } from '#generated/operations.ts';
import { generate, generators } from '../../generators/generators.ts';
import type { Version } from '../../generators/start-operations.ts';
import { quickFolder } from '../../support/quick-folder.ts';

/** A response that a generated client received. */
export interface Received {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path of the document, with its parameters in braces. */
  readonly schemaPath: string;
  /** Path parameters of the request. */
  readonly path: Readonly<Record<string, unknown>>;
  /** A copy of the response that the client received. Reading the body of the copy does not affect the client. */
  readonly response: Response;
}

/** Options of a client. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly onAnswer: (received: Received) => Promise<void>;
}

/** A client library with the code that is generated for one document. */
export interface Library {
  connect<Paths extends object>(connection: Connection): Client<Paths>;
  /** Removes the generated code. */
  remove(): void;
}

/** Client libraries by name. Both are called like openapi-fetch, so that a single script serves both. */
export const libraries: Readonly<Record<'openapi-fetch' | 'hey-api', (version: Version) => Promise<Library>>> = {
  'openapi-fetch': async () => ({ connect: connectOpenapiFetch, remove: () => undefined }),
  'hey-api': generateHeyApi,
};

/** Creates a client of openapi-fetch, with types from generated/<version>.ts. */
function connectOpenapiFetch<Paths extends object>({ baseUrl, apiKey, onAnswer }: Connection): Client<Paths> {
  const client = createClient<Paths>({ baseUrl, headers: { 'X-Service-API-Key': apiKey } });
  client.use({
    onResponse: ({ request, schemaPath, params, response }) =>
      onAnswer({ method: request.method, schemaPath, path: params.path ?? {}, response: response.clone() }),
  });
  return client;
}

/** The used parts of a hey-api client. */
interface HeyApiClient {
  readonly interceptors: {
    readonly response: {
      use(onResponse: (response: Response, request: Request, options: Sent) => Promise<Response>): void;
    };
  };
}
interface Sent {
  readonly url: string;
  readonly path?: Readonly<Record<string, unknown>>;
}
type HeyApiOperation = (options: object) => Promise<unknown>;

/** Generates the client of hey-api for a document. */
async function generateHeyApi(version: Version): Promise<Library> {
  const folder = quickFolder('svc-hey-api-');
  const out = join(folder, 'client');
  await generate(generators['hey-api'], `generated/openapi/${version}.json`, out);
  compile(out);
  const sdk: Record<string, HeyApiOperation> = await import(join(out, 'index.js'));
  const { createClient: create }: { createClient: (config: object) => HeyApiClient } = await import(
    join(out, 'client/index.js')
  );
  return {
    connect: ({ baseUrl, apiKey, onAnswer }) => {
      // The client finds the name of the key's header in the document.
      const client = create({ baseUrl, auth: apiKey });
      client.interceptors.response.use(async (response, { method }, { url, path = {} }) => {
        await onAnswer({ method, schemaPath: url, path, response: response.clone() });
        return response;
      });
      return byPath((id, options) => sdk[id]?.({ client, ...options }), version);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Writes generated TypeScript files as JavaScript beside them, because imports name the JavaScript files. */
function compile(folder: string): void {
  for (const file of globSync(join(folder, '**/*.ts')))
    writeFileSync(file.replace(/\.ts$/, '.js'), stripTypeScriptTypes(readFileSync(file, 'utf8')));
}

/** Options of openapi-fetch for a path. */
interface Init {
  readonly params?: { readonly path?: object; readonly query?: object };
  readonly body?: unknown;
}

/**
 * Creates a client that is called with method and path, like openapi-fetch. It calls the generated function of the
 * operation with this method and path.
 */
function byPath<Paths extends object>(
  call: (id: string, options: object) => Promise<unknown> | undefined,
  version: Version,
): Client<Paths> {
  const through =
    (method: HttpMethod) =>
    (path: string, { params = {}, body }: Init) => {
      const found = operations.find((one) => one.version === version && one.method === method && one.path === path);
      return call(found?.id ?? '', { ...params, ...(body === undefined ? {} : { body }) });
    };
  const methods = { GET: through('get'), POST: through('post'), PATCH: through('patch'), DELETE: through('delete') };
  return methods as unknown as Client<Paths>;
}
