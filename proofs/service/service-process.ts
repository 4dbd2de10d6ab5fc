import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { providers } from '../../generated/rules.ts';

const program = 'src/cli/main.ts';

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
  // providers are removed.
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
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (log.length < logKept) log.push(line);
    onLog?.(line);
  });
  const told = await getAddresses(child, ended, log);
  const { pid = 0 } = child;
  return {
    pid,
    ...told,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      const how = await ended;
      if (how !== 0) throw new Error(`svc serve ended with ${how}`);
    },
  };
}

/** Maximum number of log lines, from the first, in the error of a failed start. */
const logKept = 20;

interface Addresses {
  readonly address: string;
  readonly control: string;
  readonly metrics: string;
}

function getAddresses(
  child: ChildProcess,
  ended: Promise<number | string>,
  log: readonly string[],
): Promise<Addresses> {
  const told = { control: '', metrics: '' };
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('a service was started without a way to hear it');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, what = '', address = ''] = /^(control|metrics|listening) on (\S+)/.exec(line) ?? [];
      if (what === 'control' || what === 'metrics') told[what] = address;
      if (what === 'listening') resolve({ ...told, address });
    });
    void ended.then((how) => reject(new Error(`svc serve ended with ${how} before it listened:\n${log.join('\n')}`)));
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
  process.exit(interrupted);
}

function cleanAll(): void {
  // The last registered clean-up runs first: a process before its folder.
  for (const cleanup of [...cleanups].toReversed()) cleanup();
}
