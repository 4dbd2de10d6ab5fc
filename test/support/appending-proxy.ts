import { once } from 'node:events';
import { type IncomingMessage, createServer, get, request } from 'node:http';

/** A common reverse proxy: it appends the address of its client to `X-Forwarded-For`. */
export interface AppendingProxy extends AsyncDisposable {
  readonly address: string;
  /**
   * Sends a request with a forged `X-Forwarded-For` from the given loopback address. Returns the
   * `X-RateLimit-Remaining` of the answer.
   */
  remainingFor(clientAddress: string): Promise<number>;
}

/** Starts a proxy on a free loopback port in front of the service at a URL. */
export async function startAppendingProxy(target: string): Promise<AppendingProxy> {
  const server = createServer((incoming, outgoing) => {
    const earlier = incoming.headers['x-forwarded-for'];
    const list = [earlier, incoming.socket.remoteAddress].filter((part) => part !== undefined).join(', ');
    const headers = { ...incoming.headers, 'x-forwarded-for': list };
    const sent = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const found = server.address();
  if (found === null || typeof found === 'string') throw new Error('expected a port');
  const address = `http://127.0.0.1:${found.port}`;
  return {
    address,
    async remainingFor(clientAddress) {
      const headers = { 'x-forwarded-for': '198.51.100.1' };
      const sent = get(`${address}/api/v4/runs`, { localAddress: clientAddress, headers, agent: false });
      const [answer]: IncomingMessage[] = await once(sent, 'response');
      answer?.resume();
      return Number(answer?.headers['x-ratelimit-remaining']);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
