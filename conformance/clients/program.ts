import { type ChildProcess, spawn } from 'node:child_process';
import { type JsonValue, parseJson } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { ProgramEnd } from './recording.ts';

/** A program and its arguments. */
export type Command = readonly [program: string, ...arguments: string[]];

/** How a program is started. */
export interface ProgramOptions {
  readonly command: Command;
  /** Set besides those of this process; undefined takes one away. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** It is killed after so many milliseconds. */
  readonly endMs: number;
}

/** A program that runs. */
export interface Program {
  /** Interrupts it, as Ctrl-C does. */
  interrupt(): void;
  /** Kills it with everything that it has started. */
  kill(why: 'late' | 'polls on'): void;
  readonly ended: Promise<ProgramEnd>;
}

/** Characters of each output that are kept; the end counts. */
const outputMax = 1_000_000;

/** Starts a program in a process group of its own. `ended` rejects when it cannot be started. */
export function startProgram({ command, environment, endMs }: ProgramOptions): Program {
  const [program, ...given] = command;
  const startedMs = performance.now();
  const child = spawn(program, given, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let killed: ProgramEnd['killed'];
  const kill = (why: 'late' | 'polls on'): void => {
    killed ??= why;
    signal(child, 'SIGKILL');
  };
  // It outlives neither its end nor ours.
  const killWithUs = (): void => signal(child, 'SIGKILL');
  process.once('exit', killWithUs);
  const late = setTimeout(() => kill('late'), endMs);
  const outputs = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outputs[name] = (outputs[name] + text).slice(-outputMax);
    });
  }
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(program, error)));
    child.on('close', (code) => resolve({ code, killed, atMs: performance.now() - startedMs, ...outputs }));
  }).finally(() => {
    clearTimeout(late);
    process.off('exit', killWithUs);
    // What it has started and left behind.
    signal(child, 'SIGKILL');
  });
  return { interrupt: () => signal(child, 'SIGINT'), kill, ended };
}

function cannotStart(program: string, error: Error): SuiteError {
  const reason = 'code' in error ? String(error.code) : error.message;
  return new SuiteError('usage', {
    found: `the program ${program}, which cannot be started (${reason})`,
    expected: 'a program and its arguments after --',
    next: 'correct the path of the program, or make its file executable',
  });
}

/** To the whole group, as a terminal does. */
function signal({ pid }: ChildProcess, name: 'SIGINT' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    // Nothing of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The last line of an output that is a JSON object, or the whole output where it is one. */
export function printedJson(stdout: string): JsonValue | undefined {
  const whole = parseJson(stdout);
  if (whole !== undefined) return whole;
  const lines = stdout.split('\n').filter((line) => line.trimStart().startsWith('{'));
  return lines.map((line) => parseJson(line)).findLast((value) => value !== undefined);
}
