import openapiFetch, { type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import { clientFacts } from '#generated/client-facts.ts';
import { ServiceError } from './errors.ts';

/** Left out where nothing of it is required. */
type Given<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/** The body of an operation's success; undefined where it has none. */
type Success<Operation> = Operation extends { responses: infer Answers }
  ? BodyOf<Answers[keyof Answers & (200 | 201 | 202)]>
  : never;
type BodyOf<Answer> = [Answer] extends [never]
  ? undefined
  : Answer extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined;

/**
 * Calls an operation by its documented path, with `{ params, body, signal, headers }` as openapi-fetch takes them. Resolves to the body of a
 * success. Rejects with ServiceError for any other answer, and with what fetch rejects with where there is none.
 */
export type Call<Paths extends object, Method extends HttpMethod> = <
  Path extends PathsWithMethod<Paths, Method>,
  Init extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>,
>(
  path: Path,
  ...init: Given<Init>
) => Promise<Success<Paths[Path][Method & keyof Paths[Path]]>>;

/** The operations of a generation, by method and documented path. */
export interface Calls<Paths extends object> {
  readonly GET: Call<Paths, 'get'>;
  readonly POST: Call<Paths, 'post'>;
  readonly PUT: Call<Paths, 'put'>;
  readonly PATCH: Call<Paths, 'patch'>;
  readonly DELETE: Call<Paths, 'delete'>;
}

/** How a client reaches the service, and as whom. */
export interface ClientOptions {
  /** Address of the service without `/api/v4`, for example `https://api.example.com`. */
  readonly baseUrl: string;
  /** @defaultValue the environment variable SERVICE_API_KEY, where there is an environment (contract 5 Authentication 5) */
  readonly apiKey?: string;
  /** How often a request that was answered with 429 is sent again: nothing was done by it. 0 is never. @defaultValue 3 */
  readonly retries?: number;
  /** Longest wait for one answer, in milliseconds. @defaultValue 30000 */
  readonly timeoutMs?: number;
  /** What sends requests. @defaultValue the global fetch */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Passes the time between two questions, in milliseconds; rejects when the signal aborts. @defaultValue a timer */
  readonly pause?: Pause;
}

/** Passes time; rejects with the signal's reason when that aborts. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

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
interface CreateCallsGiven {
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
