import { WebSocket } from 'ws';
import { parseJson, suiteLimit, userAgent } from '#conformance/index.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { dial } from './dial.ts';
import { refusedBy, silent, unreachable } from './tunnel-fault.ts';
import type { Way } from './way.ts';

/** A service may have to start the browser first. */
export const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Asks a browser one thing over a connection of its own and ends that. Rejects with a TunnelFault when nobody is there, the
 * address leads to no browser, or there is no answer within a minute.
 */
export async function askBrowser(way: Way, method: string): Promise<JsonObject> {
  const { away } = way;
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const options = {
    perMessageDeflate: false,
    createConnection: dial(way),
    maxPayload: suiteLimit('cdpAnswer'),
    headers: { 'user-agent': userAgent },
  };
  const socket = new WebSocket(away, options);
  const timer = setTimeout(() => reject(silent(away, method)), ANSWER_TIMEOUT_MS);
  socket.once('open', () => socket.send(JSON.stringify({ id: 1, method })));
  socket.on('message', (data: Buffer) => {
    const reply: unknown = parseJson(data.toString());
    if (isJsonObject(reply) && reply['id'] === 1) resolve(isJsonObject(reply['result']) ? reply['result'] : {});
  });
  socket.once('unexpected-response', (_request, { statusCode = 0 }) => reject(refusedBy(away, statusCode)));
  socket.on('error', (error) => reject(unreachable(away, error)));
  socket.once('close', () => reject(unreachable(away, new Error('the connection was closed'))));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}
