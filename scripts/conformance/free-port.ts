import { createServer } from 'node:net';

/** A port of the loopback interface that was free a moment ago, for somebody who has to be told where to listen. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address !== 'string' ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
