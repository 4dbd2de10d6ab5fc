/** URL of the service and an API key. */
export interface ServiceAccess {
  readonly address: string;
  readonly key: string;
}

/** Creates a standalone browser with default settings. */
export async function createBrowser({ address, key }: ServiceAccess): Promise<{ id: string; cdpUrl: string }> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const body = await getAnswer(`${address}/api/v4/browsers`, { method: 'POST', headers, body: '{}' }, 201);
  const cdpUrl = typeof body === 'object' && body !== null && 'cdpUrl' in body ? String(body.cdpUrl) : '';
  return { id: getId(body), cdpUrl };
}

/** Stops a browser. */
export async function stopBrowser({ address, key }: ServiceAccess, id: string): Promise<void> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const stop = { method: 'PATCH', headers, body: JSON.stringify({ action: 'stop' }) };
  await getAnswer(`${address}/api/v4/browsers/${id}`, stop, 200);
}

/**
 * Sends a request and returns the JSON body of the response. Throws for any status other than `status`, because the
 * measurement would then be meaningless.
 */
export async function getAnswer(url: string, init: RequestInit, status: number): Promise<unknown> {
  const response = await fetch(url, init);
  const body: unknown = await response.json();
  if (response.status !== status) throw new Error(`${url}: expected ${status}, found ${response.status}`);
  return body;
}

/** Returns the `id` member of a response body; throws if it is no string. */
export function getId(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`expected an answer with an id, found ${JSON.stringify(body)}`);
}
