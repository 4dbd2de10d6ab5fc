import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { providers } from '#generated/rules.ts';
import { isMissing } from '#lib/system-errors.ts';

const program = 'src/cli/main.ts';

/** Number of calls of {@link runSvc} whose process still runs. */
let runningCommands = 0;

/** Runs `svc` with the input and output of this process; resolves to the exit code of `svc`. */
export function runSvc(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
    runningCommands += 1;
    // Ctrl-C reaches the child directly, which then cleans up. This process continues, to end the processes that it has
    // started.
    const wait = (): void => undefined;
    const passOn = (): void => void child.kill('SIGTERM');
    process.on('SIGINT', wait);
    process.on('SIGTERM', passOn);
    child.once('error', reject);
    child.once('exit', (code) => {
      runningCommands -= 1;
      process.off('SIGINT', wait);
      process.off('SIGTERM', passOn);
      resolve(code ?? 1);
    });
  });
}

/** Options for starting a service. */
export interface ServiceStart {
  /** Command to run. @defaultValue `svc serve` */
  readonly command?: 'serve' | 'mock';
  /** Flags of the command. */
  readonly args: readonly string[];
  /** Additional environment variables of the process. @defaultValue none */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each line that the process writes to standard error, its log. @defaultValue not called */
  readonly onLog?: (line: string) => void;
}

/** A `svc serve` or `svc mock` in a child process. */
export interface ServiceProcess {
  readonly pid: number;
  readonly address: string;
  /** Control URL of the process; empty if the process has none. */
  readonly control: string;
  /** URL of the metrics; empty if the process serves none. */
  readonly metrics: string;
  /** Resolves with the exit code of the process, or with the name of the signal that ended the process. */
  readonly ended: Promise<number | string>;
  /** Returns true while the process runs. */
  isRunning(): boolean;
  /** Kills the process with SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for the end; rejects if the exit code is not 0. */
  stop(): Promise<void>;
}

/**
 * Starts `svc serve` or `svc mock` and waits for the output line with its URL. If the process ends before that line,
 * rejects with the first lines of its log.
 */
export async function startService({
  command = 'serve',
  args,
  env = {},
  onLog,
}: ServiceStart): Promise<ServiceProcess> {
  // The child gets its own process group, so that Ctrl-C reaches only this program, which cleans up. Keys of model
  // providers are removed, so that no run costs money or depends on the environment.
  const child = spawn(process.execPath, [program, command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...withoutProviders(), ...env },
    detached: true,
  });
  const ended = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  const forget = onExit(() => void child.kill('SIGKILL'));
  void ended.then(forget);
  const log: string[] = [];
  const logLines = createInterface({ input: child.stderr }).on('line', (line) => {
    if (log.length < keptLines) log.push(line);
    onLog?.(line);
  });
  const logEnded = once(logLines, 'close');
  const addresses = await Promise.race([
    readAddresses(child.stdout),
    ended.then(async (how) => {
      await logEnded;
      throw new Error(`svc ${command} ended with ${how} before it listened:\n${log.join('\n')}`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    ...addresses,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      const how = await ended;
      if (how !== 0) throw new Error(`svc ${command} ended with ${how}`);
    },
  };
}

/** Maximum number of log lines, from the first, in the error of a failed start. */
const keptLines = 20;

interface Addresses {
  readonly address: string;
  readonly control: string;
  readonly metrics: string;
}

/** Resolves when the process prints the URL at which it listens. */
function readAddresses(input: Readable): Promise<Addresses> {
  const found = { control: '', metrics: '' };
  return new Promise((resolve) => {
    createInterface({ input }).on('line', (line) => {
      const [, name = '', address = ''] = /^(control|metrics|listening) on (\S+)/.exec(line) ?? [];
      if (name === 'control' || name === 'metrics') found[name] = address;
      if (name === 'listening') resolve({ ...found, address });
    });
  });
}

function withoutProviders(): Record<string, string> {
  return Object.fromEntries(providers.providers.map(({ keyVariable }) => [keyVariable, '']));
}

const cleanups = new Set<() => void>();

/**
 * Registers a synchronous clean-up for an early end of this program, such as Ctrl-C. The returned function unregisters
 * the clean-up.
 */
export function onExit(cleanup: () => void): () => void {
  if (cleanups.size === 0) {
    process.on('exit', cleanAll);
    for (const signal of signals) process.on(signal, leave);
  }
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
    if (cleanups.size > 0) return;
    process.off('exit', cleanAll);
    for (const signal of signals) process.off(signal, leave);
  };
}

const signals = ['SIGINT', 'SIGTERM'] as const;
/** Exit code of an interrupted program. */
const interrupted = 130;

function leave(): void {
  // A running `svc check` receives the signal too, and first ends the resources that it has created.
  if (runningCommands === 0) process.exit(interrupted);
}

function cleanAll(): void {
  // The last registered clean-up runs first: a process before its folder.
  for (const cleanup of [...cleanups].toReversed()) cleanup();
}

/** Number of log lines that are printed without `--details`. */
const printedLines = 20;

/** Prints the last lines of the log of a failed service; the whole log with `--details`. */
export function printLog(log: readonly string[], flags: readonly string[]): void {
  const shown = flags.includes('--details') ? log : log.slice(-printedLines);
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
