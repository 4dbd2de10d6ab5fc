import createClient, { type Client } from 'openapi-fetch';

const { SERVICE_API_URL: address = '', SERVICE_API_KEY: key } = process.env;

/** Creates a client of one generation, with types that openapi-typescript generates from its document. */
export function connect<Paths extends object>(version: string, timeoutMs: number): Client<Paths> {
  if (!key) throw new Error('found no key, expected one in SERVICE_API_KEY');
  return createClient<Paths>({
    baseUrl: `${address.replace(/\/+$/, '')}/api/${version}`,
    headers: { 'X-Service-API-Key': key },
    fetch: (request) => send(request, timeoutMs, 1000),
  });
}

/**
 * Sends a request, and repeats it after a 429, with growing waits up to a limit. Rejects with the status and text of
 * any other refusal.
 */
async function send(request: Request, timeoutMs: number, waitMs: number): Promise<Response> {
  // Redirects are errors, because a followed redirect could send the key to another host.
  const options: RequestInit = { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) };
  const response = await fetch(request.clone(), options);
  if (response.ok) return response;
  if (response.status !== 429 || waitMs > 8000) throw new Error(`${response.status} ${await response.text()}`);
  await sleep(Number(response.headers.get('retry-after')) * 1000 || waitMs);
  return send(request, timeoutMs, waitMs * 2);
}

/** Returns the body of a successful response; throws without a body. `send` has rejected any other response. */
export async function read<Data>(call: Promise<{ readonly data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await call;
  if (data === undefined || data === null) throw new Error('found no body, expected JSON');
  return data;
}

export const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
