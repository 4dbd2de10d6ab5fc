import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer, request } from 'node:http';
import { type Socket, connect } from 'node:net';

/** A simple load balancer in front of the API processes. */
export interface Balancer {
  readonly address: string;
  /** Sets the processes for later requests. */
  point(addresses: readonly string[]): void;
  close(): Promise<void>;
}

/** Interval of readiness checks in milliseconds. */
const lookMs = 100;

/**
 * Starts a load balancer. It passes requests and upgrades in turn to the processes whose `/readyz` succeeds, or to all
 * processes if none is ready.
 */
export async function startBalancer(): Promise<Balancer> {
  let targets: readonly string[] = [];
  let ready: readonly string[] = [];
  let turn = 0;
  const next = (): URL => {
    const all = ready.length === 0 ? targets : ready;
    const target = all[turn++ % all.length];
    if (target === undefined)
      throw new Error('the balancer has no target process: call point() before the first request');
    return new URL(target);
  };
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = next();
    const { method, url, headers } = incoming;
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    passed.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    incoming.pipe(passed);
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) =>
    upgrade(next(), { incoming, socket, head }),
  );
  // Keeps idle connections open. On a loaded machine, a client could reuse a closed connection before it notices the
  // end.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const look = setInterval(() => void listReady(targets).then((found) => (ready = found)), lookMs);
  return {
    address: getAddress(server),
    point(addresses) {
      targets = addresses;
      ready = addresses;
    },
    async close() {
      clearInterval(look);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listReady(targets: readonly string[]): Promise<string[]> {
  const answers = await Promise.allSettled(targets.map((target) => fetch(`${target}/readyz`)));
  return targets.filter((_target, at) => {
    const answer = answers[at];
    return answer?.status === 'fulfilled' && answer.value.ok;
  });
}

function upgrade(
  { hostname, port }: URL,
  { incoming, socket, head }: { incoming: IncomingMessage; socket: Socket; head: Buffer },
): void {
  const passed = connect(Number(port), hostname, () => {
    const lines = incoming.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [`${name}: ${incoming.rawHeaders[at + 1] ?? ''}`] : [],
    );
    passed.write([`GET ${incoming.url ?? '/'} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    passed.write(head);
    passed.pipe(socket).pipe(passed);
  });
  for (const [one, other] of [
    [passed, socket],
    [socket, passed],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

function getAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The balancer has no port.');
  return `http://127.0.0.1:${address.port}`;
}
