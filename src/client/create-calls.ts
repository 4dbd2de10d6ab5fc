import openapiFetch from 'openapi-fetch';
import type { HttpMethod } from 'openapi-typescript-helpers';
import { clientFacts } from '#generated/client-facts.ts';
import type { Calls } from './calls.ts';
import { ServiceError } from './service-error.ts';

/** Where requests go, and how. */
export interface Connection {
  /** Without the prefix of a generation. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** What is known of a request before it is sent; throws what forbids it. */
export type Guard = (body: unknown) => void;

/** What openapi-fetch takes besides a path; the types of the caller have judged it. */
interface Given {
  readonly body?: unknown;
  readonly [option: string]: unknown;
}

/** An operation that may have any body. */
interface AnyOperation {
  readonly requestBody?: { readonly content: { readonly 'application/json': unknown } };
}

/** The operations of one generation. `guard` sees every body first. */
export function createCalls<Paths extends object>(
  { baseUrl, apiKey, fetch }: Connection,
  version: keyof typeof clientFacts.prefixes,
  guard: Guard = () => undefined,
): Calls<Paths> {
  const inner = openapiFetch<Record<string, Record<HttpMethod, AnyOperation>>>({
    baseUrl: `${baseUrl.replace(/(?<!\/)\/+$/, '')}${clientFacts.prefixes[version]}`,
    headers: { [clientFacts.keyHeader]: apiKey },
    fetch,
  });
  const call =
    (method: HttpMethod) =>
    async (path: string, given: Given = {}) => {
      guard(given.body);
      const { data, error, response } = await inner.request(method, path, given);
      if (response.ok) return data;
      throw new ServiceError(response, error);
    };
  const calls = {
    GET: call('get'),
    POST: call('post'),
    PUT: call('put'),
    PATCH: call('patch'),
    DELETE: call('delete'),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documents vouch for what a path takes and answers
  return calls as unknown as Calls<Paths>;
}
