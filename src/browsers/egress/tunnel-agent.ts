import type { LookupAddress } from 'node:dns';
import { type ClientRequest, Agent, type IncomingMessage, type RequestOptions, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Duplex } from 'node:stream';
import type { CustomProxy } from './proxy-file.ts';
import { pinned } from './resolve-target.ts';

/** One tunnel. */
export interface TunnelOptions {
  readonly proxy: CustomProxy;
  /** The proxy's own addresses. */
  readonly addresses: readonly LookupAddress[];
  /** `address:port` that the proxy is asked for. */
  readonly target: string;
  /** Aborted when nobody wants an answer any more. */
  readonly signal: AbortSignal;
  /** Told the status with which the proxy opened no tunnel. */
  readonly onRefused: (status: number) => void;
}

/**
 * An agent whose one connection leads through an HTTP proxy to an address: a request in it keeps its host, as the proxy never sees it.
 * (Asked for a plain request by address, a proxy would tell the server the address for a host.)
 */
export function tunnelAgent(options: TunnelOptions): Agent {
  const agent = new Agent({ keepAlive: false });
  agent.createConnection = (_options, done) => {
    open(options).then(
      (socket) => done?.(null, socket),
      // The agent takes an error alone; its type asks for a socket as well.
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
