import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '#lib/json.ts';

/** A program of this project with its arguments. */
export interface Program {
  readonly args: readonly string[];
  /** Additional environment variables of the program. @defaultValue none */
  readonly env?: Readonly<Record<string, string>>;
  /** File to which the program writes its processor time; see `tell-usage.ts`. @defaultValue none */
  readonly usageFile?: string;
  /** Exit codes of the program that count as success. @defaultValue 0 */
  readonly codes?: readonly number[];
}

/** Output of a completed program. */
export interface Ran {
  readonly printed: string;
  /** Duration of the program in seconds. */
  readonly seconds: number;
  /** Processor time of the program in seconds; NaN without `usageFile`. */
  readonly processorSeconds: number;
}

/** Runs a program to its end; rejects when it fails. */
export async function runProgram({ args, env = {}, usageFile, codes = [0] }: Program): Promise<Ran> {
  const begun = performance.now();
  const told = usageFile === undefined ? {} : { NODE_OPTIONS: '--import=./bench/tell-usage.ts', SVC_USAGE: usageFile };
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...told, ...env },
  });
  const [printed, code] = await Promise.all([
    text(child.stdout),
    once(child, 'exit').then(([status]) => Number(status)),
  ]);
  const seconds = (performance.now() - begun) / 1000;
  if (!codes.includes(code)) throw new Error(`${args.slice(0, 3).join(' ')} ended with exit code ${code}`);
  return { printed, seconds, processorSeconds: usageFile === undefined ? Number.NaN : readSeconds(usageFile) };
}

/** Resolves with the next message of a forked program; rejects when the program ends before it sends a message. */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      reject(
        new Error(`${child.spawnargs.slice(0, 3).join(' ')} ended with ${code ?? 'a signal'} and sent no message`),
      );
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}

/**
 * Ends a program and waits for its end; does nothing if the program has ended. With `disconnect`, closes the channel to
 * a forked program, which then ends itself.
 */
export async function endProgram(child: ChildProcess, how: 'SIGTERM' | 'disconnect' = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (how === 'SIGTERM') child.kill(how);
  else if (child.connected) child.disconnect();
  await ended;
}

function readSeconds(file: string): number {
  const usage: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isJsonObject(usage) ? Number(usage['seconds']) : Number.NaN;
}
