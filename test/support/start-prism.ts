import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A separate `prism mock` process. */
export interface RunningPrism {
  /** Base URL, for example `http://127.0.0.1:41234`. The paths of the operations begin directly after it. */
  readonly address: string;
  /** Ends the process and waits for its end. */
  stop(): Promise<void>;
}

const startTimeoutMs = 30_000;

/**
 * Starts `prism mock` for a document and waits until Prism listens. Rejects with the output of Prism if Prism ends or
 * does not listen in time.
 */
export async function startPrism(document: string): Promise<RunningPrism> {
  const port = await freePort();
  const command = fileURLToPath(new URL('../../node_modules/.bin/prism', import.meta.url));
  const child = spawn(process.execPath, [command, 'mock', document, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`prism did not listen within ${startTimeoutMs} ms:\n${output}`)),
      startTimeoutMs,
    );
    const read = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      if (!output.includes('Prism is listening on')) return;
      clearTimeout(timer);
      // Both streams are read to the end, because a full pipe would stop the process.
      for (const stream of [child.stdout, child.stderr]) stream.off('data', read).resume();
      resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`prism ended with ${code}:\n${output}`)));
  });
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
