import createClient, { type Client } from 'openapi-fetch';

const { SERVICE_API_URL: address = '', SERVICE_API_KEY: key } = process.env;

/** A client of one generation over types that openapi-typescript has made of its document. */
export function connect<Paths extends object>(version: string, timeoutMs: number): Client<Paths> {
  if (!key) throw new Error('found no key, expected one in SERVICE_API_KEY');
  return createClient<Paths>({
    baseUrl: `${address.replace(/\/+$/, '')}/api/${version}`,
    headers: { 'X-Service-API-Key': key },
    fetch: (request) => send(request, timeoutMs, 1000),
  });
}

/** Sends a request, again after a 429, and rejects with what the service says of a refusal. */
async function send(request: Request, timeoutMs: number, waitMs: number): Promise<Response> {
  // A redirect that is followed would take the key to another host.
  const options: RequestInit = { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) };
  const response = await fetch(request.clone(), options);
  if (response.ok) return response;
  if (response.status !== 429 || waitMs > 8000) throw new Error(`${response.status} ${await response.text()}`);
  await sleep(Number(response.headers.get('retry-after')) * 1000 || waitMs);
  return send(request, timeoutMs, waitMs * 2);
}

/** The body of a success; every other answer has rejected. */
export async function read<Data>(call: Promise<{ readonly data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await call;
  if (data === undefined || data === null) throw new Error('found no body, expected JSON');
  return data;
}

export const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
