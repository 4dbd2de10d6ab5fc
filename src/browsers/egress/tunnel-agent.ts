import type { LookupAddress } from 'node:dns';
import { type ClientRequest, Agent, type IncomingMessage, type RequestOptions, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Duplex } from 'node:stream';
import type { CustomProxy } from './proxy-file.ts';
import { pinned } from './resolve-target.ts';

/** Options of a tunnel. */
export interface TunnelOptions {
  readonly proxy: CustomProxy;
  /** Addresses of the proxy. */
  readonly addresses: readonly LookupAddress[];
  /** `address:port` that the proxy connects to. */
  readonly target: string;
  /** Aborts the connection to the proxy. */
  readonly signal: AbortSignal;
  /** Called with the status of the proxy's response when the proxy opens no tunnel. */
  readonly onRefused: (status: number) => void;
}

/**
 * Creates an HTTP agent that connects through a CONNECT tunnel of a proxy. The proxy sees only the checked address, and
 * the page's server receives the original Host header. A plain proxy request for the address would change this header.
 */
export function tunnelAgent(options: TunnelOptions): Agent {
  const agent = new Agent({ keepAlive: false });
  agent.createConnection = (_options, done) => {
    open(options).then(
      (socket) => done?.(null, socket),
      // The agent's callback takes an error alone; its type also requires a socket.
      (error: unknown) => Reflect.apply(done ?? (() => undefined), undefined, [error]),
    );
    return undefined;
  };
  return agent;
}

function open({ proxy, addresses, target, signal, onRefused }: TunnelOptions): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...credentials(proxy) },
    lookup: pinned(addresses),
    agent: false,
    signal,
    rejectUnauthorized: !proxy.ignoreCertErrors,
  };
  const outgoing: ClientRequest = proxy.scheme === 'https' ? secure(options) : plain(options);
  outgoing.on('error', reject);
  outgoing.on('connect', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (response.statusCode === 200) {
      socket.unshift(head);
      return resolve(socket);
    }
    socket.destroy();
    onRefused(response.statusCode ?? 0);
    return reject(new Error('The proxy opened no tunnel.'));
  });
  outgoing.end();
  return promise;
}

function credentials({ username, password }: CustomProxy): Record<string, string> {
  if (username === null && password === null) return {};
  const word = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return { 'proxy-authorization': `Basic ${word}` };
}
