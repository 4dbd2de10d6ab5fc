import { type PrepareRequestFunction, RequestError, Server } from 'proxy-chain';
import { untrustedCertificate } from './untrusted-certificate.ts';

/** Credentials that the proxy requires. */
export interface ProxyOptions {
  readonly username: string;
  readonly password: string;
}

/** A forward proxy of another operator, on loopback. */
export interface ForwardProxy {
  readonly port: number;
  /** `host:port` of each accepted request, in the client's spelling. */
  readonly targets: readonly string[];
  /** Returns the number of requests that were refused for missing or wrong credentials. */
  refusals(): number;
  close(): Promise<void>;
}

/**
 * Starts an HTTP proxy that requires credentials; with `tls`, over TLS with an untrusted certificate. Every host name
 * resolves to loopback.
 */
export async function startHttpProxy(
  { username, password }: ProxyOptions,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<ForwardProxy> {
  const targets: string[] = [];
  let refusals = 0;
  const prepareRequestFunction: PrepareRequestFunction = (request) => {
    if (request.username !== username || request.password !== password) {
      refusals += 1;
      throw new RequestError('Proxy Authentication Required', 407);
    }
    targets.push(`${request.hostname}:${request.port}`);
    return { dnsLookup: loopback };
  };
  const place = { host: '127.0.0.1', port: 0, prepareRequestFunction };
  const server = new Server(tls ? { ...place, serverType: 'https', httpsOptions: untrustedCertificate } : place);
  await server.listen();
  return { port: server.port, targets, refusals: () => refusals, close: () => server.close(true) };
}

type Lookup = typeof import('node:dns').lookup;
type Done = (error: null, address: string | { address: string; family: number }[], family?: number) => void;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no function literal can have the overloads of dns.lookup
const loopback = ((_hostname: string, { all }: { all?: boolean }, done: Done) =>
  all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as unknown as Lookup;
