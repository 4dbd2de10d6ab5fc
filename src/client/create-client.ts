import type { ClientOptions } from './client-options.ts';
import type { Connection } from './create-calls.ts';
import { patientFetch } from './patient-fetch.ts';
import { pause as timer } from './pause.ts';
import { readKey } from './read-key.ts';
import { createV2Client, type V2Client } from './v2-client.ts';
import { createV3Client, type V3Client } from './v3-client.ts';
import { createV4Client, type V4Client } from './v4-client.ts';

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
