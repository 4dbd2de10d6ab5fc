import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sendOverHttp } from '../transport/send-over-http.ts';
import type { Transport } from '../core/transport.ts';

/** A request as parsed by a server. */
export interface Asked {
  method: string;
  /** Path with query. */
  target: string;
  /** Headers by their names in lower case. */
  headers: IncomingHttpHeaders;
  /** Names of the headers as the client has spelled them. */
  names: readonly string[];
  text: string;
}

/** The response of a server. */
export interface Said {
  status: number;
  /** Headers by their names in lower case. */
  headers: Record<string, string>;
  text: string;
}

/**
 * Creates a transport that handles requests to one origin by a function of this process, and all others over HTTP.
 * In-process calls have no connection headers, delays or byte streams.
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
    // As with a network, a response arrives in its own event-loop tick, after timers, signals and other requests.
    await nextTurn();
    if (!outlivesRun && signal.aborted) return { status: 0, headers: {}, body: '', fault: String(signal.reason) };
    const said = await say({
      method,
      target: `${pathname}${search}`,
      headers,
      names: Object.keys(request.headers),
      text,
    });
    return { status: said.status, headers: said.headers, body: said.text };
  };
}
