import type { IncomingMessage } from 'node:http';
import { type Problem, problem } from '#contract/problems.ts';

/** A key is 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** A name as headers have them (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What every handshake has, in the words of RFC 6455, 4.2.1. */
const CHECKS: readonly { readonly wanted: string; readonly holds: (request: IncomingMessage) => boolean }[] = [
  { wanted: 'GET', holds: ({ method }) => method === 'GET' },
  { wanted: 'HTTP/1.1', holds: ({ httpVersion }) => httpVersion === '1.1' },
  { wanted: 'Host', holds: ({ headers }) => headers.host !== undefined },
  { wanted: 'Sec-WebSocket-Version: 13', holds: ({ headers }) => headers['sec-websocket-version'] === '13' },
  { wanted: 'Sec-WebSocket-Key', holds: ({ headers }) => KEY.test(headers['sec-websocket-key'] ?? '') },
  {
    wanted: 'a list of names as Sec-WebSocket-Protocol',
    holds: ({ headers }) => isList(headers['sec-websocket-protocol']),
  },
];

/** Whether the names of protocols, where there are any, are tokens of which none comes twice. */
function isList(protocols: string | undefined): boolean {
  if (protocols === undefined) return true;
  const names = protocols.split(',').map((name) => name.trim());
  return new Set(names).size === names.length && names.every((name) => TOKEN.test(name));
}

/** What an upgrade request lacks to be a handshake, or null: asked before a browser is started for it. */
export function checkHandshake(request: IncomingMessage): Problem | null {
  const missing = CHECKS.find(({ holds }) => !holds(request));
  return missing === undefined ? null : problem('not_a_handshake', { wanted: missing.wanted });
}
