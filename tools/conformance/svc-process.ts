import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { isMissing } from '#lib/system-errors.ts';

const command = 'src/cli/main.ts';

/** A service or mock in a child process. */
export interface Served {
  /** Process id. */
  readonly pid: number;
  readonly address: string;
  readonly control: string;
  /** Kills the process with SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM and resolves when the process has ended. Rejects if the exit code is not 0. */
  stop(): Promise<void>;
}

/** Runs `svc` with the input and output of this process; resolves to the exit code of `svc`. */
export function runSvc(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
    // Ctrl-C reaches the child directly, which then cleans up. This process continues, to end the processes that it has
    // started.
    const wait = (): void => undefined;
    const passOn = (): void => void child.kill('SIGTERM');
    process.on('SIGINT', wait);
    process.on('SIGTERM', passOn);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGINT', wait);
      process.off('SIGTERM', passOn);
      resolve(code ?? 1);
    });
  });
}

/** Options for starting a service. */
export interface ServeStart {
  /** Additional environment variables of the process. @defaultValue none */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each line of the log. @defaultValue the log goes to standard error */
  readonly onLog?: (line: string) => void;
}

/** Starts `svc serve` and resolves when it has printed its URL. Rejects if the process ends before. */
export function startServe(args: readonly string[], how: ServeStart = {}): Promise<Served> {
  return start(['serve', ...args], how);
}

/** Starts `svc mock` like {@link startServe}. */
export function startMock(args: readonly string[], how: ServeStart = {}): Promise<Served> {
  return start(['mock', ...args], how);
}

async function start(args: readonly string[], { env = {}, onLog = console.error }: ServeStart): Promise<Served> {
  // A separate process group, because Ctrl-C must not end the service before the suite has cleaned up.
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    detached: true,
  });
  createInterface({ input: child.stderr }).on('line', onLog);
  const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  let control = '';
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('control on ')) control = line.slice('control on '.length);
      if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
    });
    void exited.then((code) => reject(new Error(`svc ${args[0]} ended with exit code ${code} before it listened`)));
  });
  return {
    pid: child.pid ?? 0,
    address,
    control,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      if (code !== 0) throw new Error(`svc ${args[0]} ended with exit code ${code}`);
    },
  };
}

/** Number of log lines that are printed without `--details`. */
const logLines = 20;

/** Prints the last lines of the log of a failed service; the whole log with `--details`. */
export function printLog(log: readonly string[], flags: readonly string[]): void {
  const shown = flags.includes('--details') ? log : log.slice(-logLines);
  if (shown.length < log.length) console.error(`(${log.length - shown.length} earlier lines of the log: --details)`);
  for (const line of shown) console.error(line);
}

/** Returns the command lines of other living processes that contain a path; empty on a system without /proc. */
export function leftProcesses(folder: string): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(folder));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    // The process ended meanwhile.
    if (isMissing(error)) return '';
    throw error;
  }
}

/**
 * `freePort` chooses a port from `lowest` to below `highest`. These ports are below the range from which the system
 * assigns ports to other processes.
 */
const lowest = 12_000;
const highest = 32_000;

/** Returns a port of 127.0.0.1 that is free at the moment, for a program that needs its port as an option. */
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
