import type { IncomingMessage } from 'node:http';
import { type Problem, problem } from '#domain/problems.ts';

/** A key is 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** What every handshake has, in the words of RFC 6455, 4.2.1. */
const CHECKS: readonly { readonly wanted: string; readonly holds: (request: IncomingMessage) => boolean }[] = [
  { wanted: 'GET', holds: ({ method }) => method === 'GET' },
  { wanted: 'HTTP/1.1', holds: ({ httpVersion }) => httpVersion === '1.1' },
  { wanted: 'Host', holds: ({ headers }) => headers.host !== undefined },
  { wanted: 'Sec-WebSocket-Version: 13', holds: ({ headers }) => headers['sec-websocket-version'] === '13' },
  { wanted: 'Sec-WebSocket-Key', holds: ({ headers }) => KEY.test(headers['sec-websocket-key'] ?? '') },
];

/** What an upgrade request lacks to be a handshake, or null: asked before a browser is started for it. */
export function checkHandshake(request: IncomingMessage): Problem | null {
  const missing = CHECKS.find(({ holds }) => !holds(request));
  return missing === undefined ? null : problem('not_a_handshake', { wanted: missing.wanted });
}
