import { request as secureRequest } from 'node:https';
import { type Socket, connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { type TLSSocket, connect as secure, getCACertificates } from 'node:tls';
import { request as plainRequest, userAgent } from '../node-http.ts';

/** Options for reaching a target through a proxy or with another certificate authority. */
export interface NetworkOptions {
  /** Additional trusted certificate authorities, in PEM. Verification is never switched off. */
  ca?: string;
  /**
   * Forward proxy for all connections of the run except connections to its provider stub,
   * `http://[user:password@]host:port` or `https://...`.
   */
  proxy?: string;
}

/** Opens connections to any host, through the proxy and with the certificate authorities of a run. */
export interface Route {
  /** Trusted authorities; undefined = the default authorities. */
  ca: string[] | undefined;
  /**
   * Opens a connection for a URL of ws:, wss:, http: or https:. Rejects if the host cannot be reached. The signal
   * destroys the connection, also while it is being opened.
   */
  open(address: URL, signal?: AbortSignal): Promise<Socket | TLSSocket>;
}

/** Creates the route of a run. */
export function createRoute({ ca, proxy }: NetworkOptions): Route {
  const trusted = ca === undefined ? undefined : [...getCACertificates('default'), ca];
  return {
    ca: trusted,
    open: async (address, signal) => {
      const ending = signal === undefined ? {} : { signal };
      const port = Number(address.port || (isSecure(address) ? 443 : 80));
      const socket =
        proxy === undefined
          ? await connected(connect({ host: bare(address.hostname), port, ...ending }), 'connect')
          : await throughProxy(new URL(proxy), `${address.hostname}:${port}`, { ca: trusted, ...ending });
      if (!isSecure(address)) return socket;
      const wrapped = secure({ socket, ...serverName(address), ...(trusted === undefined ? {} : { ca: trusted }) });
      if (signal !== undefined) addAbortSignal(signal, wrapped);
      return connected(wrapped, 'secureConnect');
    },
  };
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'wss:' || protocol === 'https:';
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

// An IP address is not a server name, but the certificate is still checked against the address.
function serverName({ hostname }: URL): { host: string; servername?: string } {
  const host = bare(hostname);
  return /^[\d.]+$|:/.test(host) ? { host } : { host, servername: host };
}

function connected<T extends Socket>(socket: T, event: 'connect' | 'secureConnect'): Promise<T> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(event, () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function throughProxy(
  proxy: URL,
  authority: string,
  { ca, ...ending }: { ca: string[] | undefined; signal?: AbortSignal },
): Promise<Socket> {
  const { username, password, protocol } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const request = (protocol === 'https:' ? secureRequest : plainRequest)({
    host: bare(proxy.hostname),
    port: proxy.port || (protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    ...ending,
    headers: {
      host: authority,
      'user-agent': userAgent,
      ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }),
    },
    ...(ca === undefined ? {} : { ca }),
  });
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      return reject(new Error(`the proxy answered ${statusCode} to CONNECT ${authority}`));
    });
    request.once('response', ({ statusCode = 0 }) => {
      request.destroy();
      reject(new Error(`the proxy answered ${statusCode} to CONNECT ${authority}`));
    });
    request.end();
  });
}
