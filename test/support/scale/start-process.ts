import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { testKey } from '../start-backend.ts';

const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;

/** Resources that the processes of a service share. */
export interface SharedPlace {
  /** Folder that contains the blobs, the secret, and a folder for each process. */
  readonly folder: string;
  /** Address of the shared database. */
  readonly database: string;
}

/** One process of a service. */
export interface ServiceProcess {
  readonly address: string;
  readonly child: ChildProcess;
  /** Ends the process with a clean shutdown. */
  stop(): Promise<void>;
  /** Ends the process like a crash. */
  kill(): Promise<void>;
}

/** Options that differ between the processes of a test. */
export interface ProcessOptions {
  readonly role: 'api' | 'worker' | 'all';
  /** Name of the process's data folder. */
  readonly name: string;
  /** @defaultValue a free port */
  readonly port?: number;
  /** @defaultValue 1 */
  readonly shutdownSeconds?: number;
}

/**
 * Starts `svc serve` with simulated browsers as one of the processes of a service. Resolves when the process listens.
 */
export async function startProcess(
  { folder, database }: SharedPlace,
  { role, name, port = 0, shutdownSeconds = 1 }: ProcessOptions,
): Promise<ServiceProcess> {
  const options: Readonly<Record<string, string>> = {
    role,
    port: String(port),
    hosts: 'simulated',
    data: join(folder, name),
    database,
    'database-connections': '4',
    'secret-file': join(folder, 'secret'),
    blobs: `file://${join(folder, 'blobs')}`,
    control: '127.0.0.1:0',
    'bootstrap-key': testKey,
    'log-level': process.env['SVC_TEST_LOG'] ?? 'error',
    'shutdown-seconds': String(shutdownSeconds),
  };
  const args = ['serve', '--no-mail', ...Object.entries(options).flatMap(([flag, value]) => [`--${flag}`, value])];
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
  });
  child.once('exit', (code) => reject(new Error(`the process ${name} ended with ${String(code)}`)));
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const address = await promise;
  return { address, child, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
