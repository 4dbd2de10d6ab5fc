import openapiFetch, { type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import { clientFacts } from '#generated/client-facts.ts';
import { ServiceError } from './errors.ts';

/**
 * Arguments of a call after the path: one options object, which may be omitted if the operation requires no parameter
 * or body.
 */
type Given<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/**
 * Type of the body of a success response of an operation; undefined for an operation whose success response has no JSON
 * body.
 */
type Success<Operation> = Operation extends { responses: infer Answers }
  ? BodyOf<Answers[keyof Answers & (200 | 201 | 202)]>
  : never;
type BodyOf<Answer> = [Answer] extends [never]
  ? undefined
  : Answer extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined;

/**
 * A function that calls an operation by its documented path, with `{ params, body, signal, headers }` as in
 * openapi-fetch. Resolves to the body of a success response. Rejects with ServiceError for any other response, with
 * ClientFault for a body that client libraries must not send, and with fetch's error when no response arrives.
 */
export type Call<Paths extends object, Method extends HttpMethod> = <
  Path extends PathsWithMethod<Paths, Method>,
  Init extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>,
>(
  path: Path,
  ...init: Given<Init>
) => Promise<Success<Paths[Path][Method & keyof Paths[Path]]>>;

/** The operations of one API version, by method and documented path. */
export interface Calls<Paths extends object> {
  readonly GET: Call<Paths, 'get'>;
  readonly POST: Call<Paths, 'post'>;
  readonly PUT: Call<Paths, 'put'>;
  readonly PATCH: Call<Paths, 'patch'>;
  readonly DELETE: Call<Paths, 'delete'>;
}

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** URL of the service without `/api/v4`, for example `https://api.example.com`. */
  readonly baseUrl: string;
  /**
   * API key. @defaultValue the environment variable SERVICE_API_KEY; pages have no environment variables (contract 5
   * Authentication 5)
   */
  readonly apiKey?: string;
  /**
   * Maximum number of retries after status 429. Only requests that got 429 are repeated, because they had no effect. A
   * response whose `Retry-After` exceeds 60 s is not retried. @defaultValue 3
   */
  readonly retries?: number;
  /** Timeout for one attempt to get a response, in milliseconds. @defaultValue 30000 */
  readonly timeoutMs?: number;
  /** Sends a request. @defaultValue the global fetch */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Function that waits before a retry or the next poll. @defaultValue a timer */
  readonly pause?: Pause;
}

/** A function that waits for `ms` milliseconds. Rejects with the signal's reason when the signal aborts first. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

/** A configured connection to the service. */
export interface Connection {
  /** URL of the service without a version prefix. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A function that checks a request body before it is sent. Throws for a body that must not be sent. */
export type Guard = (body: unknown) => void;

/**
 * Arguments of a call after the path, in the form of openapi-fetch. The generated types of the call have already
 * checked them.
 */
interface CreateCallsGiven {
  readonly body?: unknown;
  readonly [option: string]: unknown;
}

/** An operation with an untyped request body. */
interface AnyOperation {
  readonly requestBody?: { readonly content: { readonly 'application/json': unknown } };
}

/** Creates the calls of one API version. Each call passes its body to `guard` before it sends the request. */
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
    async (path: string, given: CreateCallsGiven = {}) => {
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
