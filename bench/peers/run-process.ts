import { spawn } from 'node:child_process';

/** A program to run, with its time limit. */
export interface Order {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeLimitMs: number;
}

/** Output of a program. */
export interface Ended {
  readonly output: string;
  readonly cutShort: boolean;
}

/** Environment that disables telemetry, update checks and colours of all tools. */
const quiet = {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  SPECMATIC_DISABLE_TELEMETRY: 'true',
  DO_NOT_TRACK: '1',
  NO_COLOR: '1',
};

/** Time limit of each tool for judging one server, in ms. */
export const judgingMs = 240_000;

/**
 * Runs a program to its end, or ends it with its child processes at the time limit. Ignores the exit code, because
 * tools fail when they find violations.
 */
export function runProcess({ command, args, cwd, env = {}, timeLimitMs }: Order): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    detached: true,
    env: { ...process.env, ...quiet, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  let cutShort = false;
  const timer = setTimeout(() => {
    cutShort = true;
    // A negative id ends the whole process group, because some tools start other programs.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, timeLimitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      resolve({ output: Buffer.concat(chunks).toString('utf8'), cutShort });
    });
  });
}
