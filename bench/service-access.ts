import { answerOf, idOf } from './answer-of.ts';

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
