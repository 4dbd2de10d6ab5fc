import { type Server, type Socket, createServer } from 'node:net';
import type { Route } from './route.ts';

/** A loopback address behind which a websocket of somewhere else stands. */
export interface Passage {
  address: string;
  /** Ends it and every connection through it. */
  close(): Promise<void>;
}

/**
 * Opens a passage to a websocket address. Automation clients know neither our proxy nor our authorities, and all of them can
 * dial a loopback address; bytes pass unchanged but for the Host header, which names the real host again.
 */
export async function openPassage(address: string, route: Route): Promise<Passage> {
  const away = new URL(address);
  const sockets = new Set<Socket>();
  const server = createServer((local) => {
    keep(sockets, local);
    local.once('data', (head: Buffer) => {
      local.pause();
      route.open(away).then(
        (remote) => {
          keep(sockets, remote);
          remote.write(withHost(head, away.host));
          join(local, remote);
        },
        // The client says that nobody is there, as it would without us.
        () => local.destroy(),
      );
    });
  });
  const port = await listen(server);
  const near = new URL(address);
  near.protocol = 'ws:';
  near.hostname = '127.0.0.1';
  near.port = String(port);
  return {
    address: near.href,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  // An error is followed by the close, which ends the other side.
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
}

function join(local: Socket, remote: Socket): void {
  follow(local, remote);
  follow(remote, local);
}

// What was sent before an orderly end still arrives; a connection that drops drops on the other side too.
function follow(from: Socket, to: Socket): void {
  if (from.destroyed) to.destroy();
  from.once('close', (failed) => (failed ? to.destroy() : to.end()));
  from.pipe(to);
}

// A websocket client sends its whole request head at once, long before anything else.
function withHost(head: Buffer, host: string): string | Buffer {
  const text = head.toString('latin1');
  return Buffer.from(text.replace(/^host:.*$/im, `Host: ${host}`), 'latin1');
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('expected a port'));
      else resolve(address.port);
    });
  });
}
