import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const command = 'src/cli/main.ts';

/** A service or a mock in a process of its own. */
export interface Served {
  /** The number of its process. */
  readonly pid: number;
  readonly address: string;
  readonly control: string;
  /** Ends it as a power failure would. */
  kill(): Promise<void>;
  /** Ends it as a user would, and fails when it does not end cleanly. */
  stop(): Promise<void>;
}

/** Runs `svc` to its end with our own terminal; answers its exit code. */
export function runSvc(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
    // Ctrl-C reaches the child by itself and makes it clean up; we outlive it to end what we started.
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

/** How a service is started. */
export interface ServeStart {
  /** On top of our own environment. @defaultValue nothing */
  readonly env?: Readonly<Record<string, string>>;
  /** Told of each line of its log. @defaultValue it goes to our own standard error */
  readonly onLog?: (line: string) => void;
}

/** Starts `svc serve` and waits for the line that says where it listens; rejects when it ends before. */
export function startServe(args: readonly string[], how: ServeStart = {}): Promise<Served> {
  return start(['serve', ...args], how);
}

/** Starts `svc mock` as {@link startServe} does the service. */
export function startMock(args: readonly string[], how: ServeStart = {}): Promise<Served> {
  return start(['mock', ...args], how);
}

async function start(args: readonly string[], { env = {}, onLog = console.error }: ServeStart): Promise<Served> {
  // In a process group of its own: Ctrl-C must not end the service before the suite has cleaned up on it.
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

/** Lines of a log that are shown without `--details`. */
const logLines = 20;

/** Prints the log of a service that failed its judgement: its end, or with `--details` all of it. */
export function printLog(log: readonly string[], flags: readonly string[]): void {
  const shown = flags.includes('--details') ? log : log.slice(-logLines);
  if (shown.length < log.length) console.error(`(${log.length - shown.length} earlier lines of the log: --details)`);
  for (const line of shown) console.error(line);
}
