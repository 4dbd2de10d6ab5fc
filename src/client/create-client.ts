import type { ClientOptions, Connection, Pause } from './calls.ts';
import { pause as timer } from './wait-until.ts';
import { createV2Client, type V2Client } from './v2-client.ts';
import { createV3Client, type V3Client } from './v3-client.ts';
import { createV4Client, type V4Client } from './v4-client.ts';
import { clientFacts } from '../../generated/client-facts.ts';
import { ClientFault } from './errors.ts';

/** A client of the three API versions of one service. */
export interface Client {
  readonly v2: V2Client;
  readonly v3: V3Client;
  readonly v4: V4Client;
}

/**
 * Creates a client of one service. Throws ClientFault without an API key.
 * @example
 * const { v4 } = createClient({ baseUrl: 'https://api.example.com' });
 * const { id } = await v4.POST('/runs', { body: { task: 'Open https://example.com', model: 'gpt-5.6-luna' } });
 * const { status, result } = await v4.waitForRun(id);
 */
export function createClient({ baseUrl, apiKey, pause = timer, ...rest }: ClientOptions): Client {
  const { retries = 3, timeoutMs = 30_000, fetch = (request: Request) => globalThis.fetch(request) } = rest;
  const connection: Connection = {
    baseUrl,
    apiKey: readKey(apiKey),
    fetch: createRetryingFetch({ retries, timeoutMs, fetch, pause }),
  };
  return {
    v2: createV2Client(connection, pause),
    v3: createV3Client(connection, pause),
    v4: createV4Client(connection, pause),
  };
}

/**
 * Returns the given key, or else the key in the environment (contract 5 Authentication 5). Throws ClientFault for an
 * empty key, and when neither key exists.
 */
function readKey(passed: string | undefined): string {
  const key = passed ?? environment()[clientFacts.keyVariable];
  if (key !== undefined && key !== '') return key;
  throw new ClientFault(`found no API key, expected apiKey or the environment variable ${clientFacts.keyVariable}`);
}

/** Returns the environment variables; an empty object in pages and bundles, which have no process. */
function environment(): Readonly<Record<string, string | undefined>> {
  return typeof process === 'undefined' ? {} : (process.env ?? {});
}

/** Retries, timeout and transport of requests. */
interface RetryPolicy extends Required<Pick<ClientOptions, 'retries' | 'timeoutMs' | 'fetch'>> {
  readonly pause: Pause;
}

/**
 * Whether this code runs in a page or a worker of a page. There, the browser sets `User-Agent`, and setting the header
 * would require a CORS permission.
 */
const isPage = 'window' in globalThis || 'WorkerGlobalScope' in globalThis;

const tooMany = 429;

/**
 * Wait before the first retry in milliseconds, if the response has no `Retry-After` header. Each further wait is twice
 * as long, at most `longestWaitMs`.
 */
const firstWaitMs = 1_000;

/** Longest wait before a retry, in milliseconds. A response whose `Retry-After` is longer is not retried. */
const longestWaitMs = 60_000;

/**
 * Creates a fetch function that rejects when an attempt takes longer than the timeout. Retries only after 429: the
 * request had no effect then, so a retry cannot create a resource twice.
 */
function createRetryingFetch({
  retries,
  timeoutMs,
  fetch,
  pause,
}: RetryPolicy): (request: Request) => Promise<Response> {
  const send = (request: Request): Promise<Response> => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    // Following a redirect would send the key to another host.
    const sent = new Request(request.clone(), { signal, redirect: 'error' });
    if (!isPage && !sent.headers.has('user-agent')) sent.headers.set('user-agent', clientFacts.userAgent);
    return fetch(sent);
  };
  return async (request) => {
    for (let retry = 0; ; retry += 1) {
      const response = await send(request);
      if (response.status !== tooMany || retry >= retries) return response;
      const wait = waitMs(response, retry);
      if (wait > longestWaitMs) return response;
      await response.body?.cancel();
      await pause(wait, request.signal);
    }
  };
}

/**
 * Returns the wait before a retry in milliseconds: the seconds of `Retry-After`, or an exponential backoff if the
 * header is missing or no valid number.
 */
function waitMs(response: Response, retry: number): number {
  const asked = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000;
  return Number.isFinite(asked) && asked >= 0 ? asked : Math.min(firstWaitMs * 2 ** retry, longestWaitMs);
}
