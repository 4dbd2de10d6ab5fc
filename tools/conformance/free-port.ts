import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Lowest port, below the range of ephemeral ports, so that the system assigns it to no other process. */
const lowest = 12_000;
const highest = 32_000;

/** Returns a free loopback port, for a program that needs its port as an option. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
