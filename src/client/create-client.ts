import type { ClientOptions, Connection, Pause } from './calls.ts';
import { pause as timer } from './wait-until.ts';
import { createV2Client, type V2Client } from './v2-client.ts';
import { createV3Client, type V3Client } from './v3-client.ts';
import { createV4Client, type V4Client } from './v4-client.ts';
import { clientFacts } from '../../generated/client-facts.ts';
import { ClientFault } from './errors.ts';

/** The three generations of one service. */
export interface Client {
  readonly v2: V2Client;
  readonly v3: V3Client;
  readonly v4: V4Client;
}

/**
 * A client of one service. Throws ClientFault where there is no key.
 *
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
    fetch: patientFetch({ retries, timeoutMs, fetch, pause }),
  };
  return {
    v2: createV2Client(connection, pause),
    v3: createV3Client(connection, pause),
    v4: createV4Client(connection, pause),
  };
}

/** The key that was passed, else that of the environment (contract 5 Authentication 5). Throws ClientFault where there is none. */
function readKey(passed: string | undefined): string {
  const key = passed ?? environment()[clientFacts.keyVariable];
  if (key !== undefined && key !== '') return key;
  throw new ClientFault(`found no API key, expected apiKey or the environment variable ${clientFacts.keyVariable}`);
}

/** Pages have no process, and bundlers put none in. */
function environment(): Readonly<Record<string, string | undefined>> {
  return typeof process === 'undefined' ? {} : (process.env ?? {});
}

/** How requests are sent. */
interface Patience extends Required<Pick<ClientOptions, 'retries' | 'timeoutMs' | 'fetch'>> {
  readonly pause: Pause;
}

/** A page names its browser, and a header that it sets itself would need a permission of the service. */
const isPage = 'window' in globalThis || 'WorkerGlobalScope' in globalThis;

const tooMany = 429;

/** The first wait where the answer asks for none; each is twice the one before. */
const firstWaitMs = 1_000;

const longestWaitMs = 10_000;

/**
 * Sends a request, and sends it again while it is answered with 429, the one status that promises that nothing was done: a
 * creation is never sent twice after any other fault. Rejects when no answer comes in time.
 */
function patientFetch({ retries, timeoutMs, fetch, pause }: Patience): (request: Request) => Promise<Response> {
  const send = (request: Request): Promise<Response> => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    // A redirect that is followed would take the key to another host.
    const sent = new Request(request.clone(), { signal, redirect: 'error' });
    if (!isPage && !sent.headers.has('user-agent')) sent.headers.set('user-agent', clientFacts.userAgent);
    return fetch(sent);
  };
  return async (request) => {
    for (let retry = 0; ; retry += 1) {
      const response = await send(request);
      if (response.status !== tooMany || retry >= retries) return response;
      await response.body?.cancel();
      await pause(waitMs(response, retry), request.signal);
    }
  };
}

/** As long as the answer asks for, in seconds, within bounds. */
function waitMs(response: Response, retry: number): number {
  const asked = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const wait = Number.isFinite(asked) && asked >= 0 ? asked : firstWaitMs * 2 ** retry;
  return Math.min(wait, longestWaitMs);
}
