import type { IncomingMessage } from 'node:http';
import { isLoopback } from './is-loopback.ts';

/**
 * Whether a request comes from this machine, by its own name, and from no page of another origin: a page that somebody has open may send
 * requests to this machine too, and may have given it a name of its own.
 */
export function isFromThisMachine({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const { host = '', origin } = headers;
  if (!isLoopback(socket.remoteAddress ?? '') || !isLoopback(hostOf(`http://${host}`))) return false;
  return origin === undefined || origin === `http://${host}`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
