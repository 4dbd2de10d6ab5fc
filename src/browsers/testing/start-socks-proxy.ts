import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';
import type { ForwardProxy, ProxyOptions } from './start-http-proxy.ts';

const socks = 5;
const passwordMethod = 2;
const domain = 3;
const ipv4 = 1;
const ok = 0;
const refused = 1;

/**
 * Starts a SOCKS5 proxy (RFC 1928) that requires credentials (RFC 1929). It connects every host name and IPv4 address
 * to loopback, at the requested port.
 */
export async function startSocksProxy({ username, password }: ProxyOptions): Promise<ForwardProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  let refusals = 0;
  const serve = async (socket: Socket): Promise<void> => {
    const read = reader(socket);
    const [, methods = 0] = await read(2);
    if (!(await read(methods)).includes(passwordMethod)) {
      refusals += 1;
      return void socket.end(Buffer.from([socks, 255]));
    }
    socket.write(Buffer.from([socks, passwordMethod]));
    const name = (await read((await read(2))[1] ?? 0)).toString();
    const word = (await read((await read(1))[0] ?? 0)).toString();
    if (name !== username || word !== password) {
      refusals += 1;
      return void socket.end(Buffer.from([1, refused]));
    }
    socket.write(Buffer.from([1, ok]));
    const kind = (await read(4))[3];
    if (kind !== domain && kind !== ipv4) return void socket.destroy();
    const host = kind === domain ? (await read((await read(1))[0] ?? 0)).toString() : [...(await read(4))].join('.');
    const port = (await read(2)).readUInt16BE();
    targets.push(`${host}:${port}`);
    const target = connect(port, '127.0.0.1');
    await once(target, 'connect');
    socket.write(Buffer.from([socks, ok, 0, ipv4, 127, 0, 0, 1, 0, 0]));
    target.on('error', () => socket.destroy());
    socket.pipe(target).pipe(socket);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    void serve(socket).catch(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The proxy has no port.');
  return {
    port: address.port,
    targets,
    refusals: () => refusals,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Returns a function that reads exactly `size` bytes from a connection. It rejects when the connection ends before
 * that.
 */
function reader(socket: Socket): (size: number) => Promise<Buffer> {
  return async (size) => {
    for (;;) {
      const bytes: Buffer | null = size === 0 ? Buffer.alloc(0) : socket.read(size);
      if (bytes !== null) return bytes;
      await once(socket, 'readable');
      if (socket.readableEnded) throw new Error('The client left.');
    }
  };
}
