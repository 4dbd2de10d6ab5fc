import { type ChildProcess, spawn } from 'node:child_process';
import { type JsonValue, parseJson } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { ProgramEnd } from './recording.ts';

/** A program and its arguments. */
export type Command = readonly [program: string, ...arguments: string[]];

/** Options of {@link startProgram}. */
export interface ProgramOptions {
  readonly command: Command;
  /** Environment variables in addition to those of this process; undefined removes a variable. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Time limit of the program in milliseconds, after which the program is killed. It begins with the start of the
   * program, and again with the first call of {@link Program.begin}.
   */
  readonly endMs: number;
}

/** A running program. */
export interface Program {
  /** Restarts the time limit of the program, because it has begun its work. Further calls have no effect. */
  begin(): void;
  /** Sends SIGINT to the process group of the program, as Ctrl-C does. */
  interrupt(): void;
  /** Kills the process group of the program. */
  kill(why: 'late' | 'polls on'): void;
  readonly ended: Promise<ProgramEnd>;
}

/** Maximum number of characters that are kept of each output; the oldest characters are dropped. */
const outputMax = 1_000_000;

/** Maximum time in ms for which the outputs of a program are still read after its exit. */
const drainMs = 1000;

/** Running programs. Their process groups are killed when this process exits. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) signal(child, 'SIGKILL');
});

/** Starts a program in a separate process group. `ended` rejects when the program cannot be started. */
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
  running.add(child);
  let late = setTimeout(() => kill('late'), endMs);
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    clearTimeout(late);
    late = setTimeout(() => kill('late'), endMs);
  };
  const stall = measureStall();
  const outputs = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outputs[name] = (outputs[name] + text).slice(-outputMax);
    });
  }
  let drained: NodeJS.Timeout | undefined;
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(program, error)));
    // A child in a process group of its own may hold the outputs open for ever.
    child.on('exit', () => {
      signal(child, 'SIGKILL');
      drained = setTimeout(() => [child.stdout, child.stderr].map((output) => output.destroy()), drainMs);
    });
    child.on('close', (code) => {
      resolve({ code, killed, atMs: performance.now() - startedMs, stalledMs: stall.stalledMs(), ...outputs });
    });
  }).finally(() => {
    stall.end();
    clearTimeout(late);
    clearTimeout(drained);
    running.delete(child);
  });
  return { begin, interrupt: () => signal(child, 'SIGINT'), kill, ended };
}

const beatMs = 100;

/**
 * Measures for how long the machine did not run this process. A busy machine stalls the client program in the same way.
 */
function measureStall(): { stalledMs(): number; end(): void } {
  let lastMs = performance.now();
  let stalledMs = 0;
  const beat = setInterval(() => {
    const nowMs = performance.now();
    stalledMs += Math.max(0, nowMs - lastMs - 2 * beatMs);
    lastMs = nowMs;
  }, beatMs);
  return { stalledMs: () => stalledMs, end: () => clearInterval(beat) };
}

function cannotStart(program: string, error: Error): SuiteError {
  const reason = 'code' in error ? String(error.code) : error.message;
  return new SuiteError('usage', {
    found: `the program ${program}, which cannot be started (${reason})`,
    expected: 'a program and its arguments after --',
    next: 'correct the path of the program, or make its file executable',
  });
}

/** Sends a signal to the whole process group, as a terminal does. */
function signal({ pid }: ChildProcess, name: 'SIGINT' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    // No process of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Returns the parsed output if it is one JSON value; otherwise its last line that is a JSON object. Returns undefined
 * without such a line.
 */
export function printedJson(stdout: string): JsonValue | undefined {
  const whole = parseJson(stdout);
  if (whole !== undefined) return whole;
  const lines = stdout.split('\n').filter((line) => line.trimStart().startsWith('{'));
  return lines.map((line) => parseJson(line)).findLast((value) => value !== undefined);
}
