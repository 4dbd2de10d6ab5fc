import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sendOverHttp } from '../transport/send-over-http.ts';
import type { Transport } from '../core/transport.ts';

/** A request as a server reads it. */
export interface Asked {
  method: string;
  /** Path with query. */
  target: string;
  /** By their names in lower case. */
  headers: IncomingHttpHeaders;
  text: string;
}

/** What the server says to it. */
export interface Said {
  status: number;
  /** By their names in lower case. */
  headers: Record<string, string>;
  text: string;
}

/**
 * Carries requests for one origin to a function of this process, and all others over HTTP. What a network adds is missing: headers of the
 * connection, answers that are late, and bytes.
 */
export function carryTo(address: string, say: (asked: Asked) => Promise<Said>): Transport {
  const origin = new URL(address).origin;
  return async (request) => {
    const { method, url, body: text = '', signal, outlivesRun } = request;
    if (!URL.canParse(url) || new URL(url).origin !== origin) return sendOverHttp(request);
    const { pathname, search } = new URL(url);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    // As with a network, an answer comes in a turn of its own: timers, signals and other requests have theirs.
    await nextTurn();
    if (!outlivesRun && signal.aborted) return { status: 0, headers: {}, body: '', fault: String(signal.reason) };
    const said = await say({ method, target: `${pathname}${search}`, headers, text });
    return { status: said.status, headers: said.headers, body: said.text };
  };
}
