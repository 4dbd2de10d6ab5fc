/** Where the service is, and the key for it. */
export interface ServiceAccess {
  readonly address: string;
  readonly key: string;
}

/** Creates a standalone browser with nothing named. */
export async function createBrowser({ address, key }: ServiceAccess): Promise<{ id: string; cdpUrl: string }> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const body = await answerOf(`${address}/api/v4/browsers`, { method: 'POST', headers, body: '{}' }, 201);
  const cdpUrl = typeof body === 'object' && body !== null && 'cdpUrl' in body ? String(body.cdpUrl) : '';
  return { id: idOf(body), cdpUrl };
}

/** Stops it. */
export async function stopBrowser({ address, key }: ServiceAccess, id: string): Promise<void> {
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' };
  const stop = { method: 'PATCH', headers, body: JSON.stringify({ action: 'stop' }) };
  await answerOf(`${address}/api/v4/browsers/${id}`, stop, 200);
}

/** The JSON body of an answer; throws when the status is another one, because then something else was measured. */
export async function answerOf(url: string, init: RequestInit, status: number): Promise<unknown> {
  const response = await fetch(url, init);
  const body: unknown = await response.json();
  if (response.status !== status) throw new Error(`${url}: expected ${status}, found ${response.status}`);
  return body;
}

/** The `id` member of an answer. */
export function idOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`expected an answer with an id, found ${JSON.stringify(body)}`);
}
