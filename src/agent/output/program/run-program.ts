import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { isWithin, type JsonValue } from '#lib/json.ts';
import { MissingPackage, loadOptional } from '#contract/load-optional.ts';
import { FileError } from '../../files.ts';
import { TabError } from '#browsers/tab/tab.ts';
import { type TaskScope, openTaskScope } from '../../task-scope.ts';
import { workerAddress } from '../../workers/worker-process.ts';
import {
  doCall,
  type FromProgram,
  type ProgramBounds,
  type ProgramWorld,
  type ProgramStart,
  TO_PROGRAM_MAX,
  type ToProgram,
} from './program-calls.ts';

/** What came of a program: what it printed last, as JSON where it is JSON and null where it printed nothing. */
export type ProgramResult =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** What a program may use up when nothing else is said. */
export const PROGRAM_BOUNDS: ProgramBounds = {
  computeMs: 2_000,
  silentMs: 30_000,
  wholeMs: 300_000,
  memoryBytes: 33_554_432,
  callsMax: 200,
};

const SOURCE_MAX = 65_536;

/** Bounds the heap, in which modules lie and copies of what the program hands over. May write no file and start no process. */
const PROCESS_OPTIONS = ['--max-old-space-size=64', '--max-semi-space-size=4', '--permission', '--allow-fs-read=*'];

/** What a program may print as JSON. */
const PRINTED_BOUNDS = { depth: 100, values: 100_000 } as const;

/**
 * Runs a program of the dialect `PROGRAM_DIALECT` in a process of its own, without network, files, environment or time of its
 * own: all it can do is ask the door. Rejects with the door's signal's reason when that aborts, and for a bug.
 */
export async function runProgram(
  source: string,
  door: ProgramWorld,
  bounds: ProgramBounds = PROGRAM_BOUNDS,
): Promise<ProgramResult> {
  if (source.length > SOURCE_MAX) return failed(`the program has more than ${SOURCE_MAX} characters`);
  const missing = await missingInterpreter();
  if (missing !== null) return failed(missing);
  const start: ProgramStart = { source, bounds };
  const timeIsUp = AbortSignal.timeout(bounds.wholeMs);
  const signal = AbortSignal.any([door.signal, timeIsUp]);
  const worker = fork(workerAddress('program-worker', import.meta.url), [], {
    env: {},
    execArgv: PROCESS_OPTIONS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(worker, 'close').catch(() => []);
  worker.send(start);
  try {
    return await attend(worker, { ...door, signal }, bounds);
  } catch (error) {
    door.signal.throwIfAborted();
    if (!timeIsUp.aborted) throw error;
    return failed(`the program took longer than ${bounds.wholeMs / 1_000} s`);
  } finally {
    worker.kill('SIGKILL');
    await ended;
  }
}

/** Why no program can run here, or null. */
async function missingInterpreter(): Promise<string | null> {
  try {
    await loadOptional('programs', async () => import.meta.resolve('quickjs-emscripten'));
    return null;
  } catch (error) {
    if (error instanceof MissingPackage) return error.message;
    throw error;
  }
}

/** Answers a program's calls, one after the other, until it has ended or its signal aborts; no call is answered after that. */
async function attend(worker: ChildProcess, door: ProgramWorld, bounds: ProgramBounds): Promise<ProgramResult> {
  const ended = Promise.withResolvers<ProgramResult>();
  const onSilence = (): void => ended.resolve(failed('the program computes for too long'));
  let silence = setTimeout(onSilence, bounds.silentMs);
  let calls = 0;
  let before = Promise.resolve();
  const scope = openTaskScope(door.signal);
  worker.on('message', (message: FromProgram) => {
    clearTimeout(silence);
    if (message.kind === 'printed') return ended.resolve(printed(message.text));
    if (message.kind === 'failed') return ended.resolve(failed(message.reason));
    calls += 1;
    if (calls > bounds.callsMax)
      return ended.resolve(failed(`the program asked for more than ${bounds.callsMax} things`));
    const answer = async (): Promise<void> => {
      const answered = await answerTo(message, door, scope);
      if (worker.connected) worker.send(answered);
      clearTimeout(silence);
      silence = setTimeout(onSilence, bounds.silentMs);
    };
    before = before.then(answer).catch(ended.reject);
  });
  worker.on('error', ended.reject);
  worker.once('exit', (code, signal) => {
    // V8 aborts a process whose heap is full.
    if (signal === 'SIGABRT' || signal === 'SIGTRAP') ended.resolve(failed('the program is out of memory'));
    else ended.reject(new Error(`the process of a program ended with ${signal ?? code}`));
  });
  try {
    return await scope.run(() => ended.promise);
  } finally {
    worker.removeAllListeners('message');
    scope.close();
    await before;
    clearTimeout(silence);
  }
}

function failed(reason: string): ProgramResult {
  return { ok: false, reason };
}

async function answerTo(
  { id, name, argumentsText }: Extract<FromProgram, { kind: 'call' }>,
  door: ProgramWorld,
  scope: TaskScope,
): Promise<ToProgram> {
  try {
    const answerText = JSON.stringify(await scope.run(() => doCall(door, name, argumentsText)));
    if (answerText.length <= TO_PROGRAM_MAX) return { id, ok: true, answerText };
    const message = `The answer has ${answerText.length} characters, and a program can read at most ${TO_PROGRAM_MAX}.`;
    return { id, ok: false, message };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof TabError || error instanceof FileError) return { id, ok: false, message: error.message };
    throw error;
  }
}

/** Reads what a program printed: JSON where it is JSON within bounds, else plain text. */
function printed(text: string): ProgramResult {
  if (text === '') return { ok: true, output: null };
  // Only a text that begins as a container can be JSON of many values; a plain text may hold any number of commas.
  if (/^\s*[[{]/u.test(text) && !isWithin(Buffer.from(text), PRINTED_BOUNDS)) {
    const { depth, values } = PRINTED_BOUNDS;
    return failed(`the program printed more than ${values} values, or more than ${depth} in each other`);
  }
  try {
    const output: JsonValue = JSON.parse(text);
    return { ok: true, output };
  } catch (error) {
    // A program may print plain words.
    if (error instanceof SyntaxError) return { ok: true, output: text };
    throw error;
  }
}
