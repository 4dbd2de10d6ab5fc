import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { JsonValue } from '#lib/json.ts';
import { isWithin } from '#lib/json-size.ts';
import { MissingPackage, loadOptional } from '#contract/load-optional.ts';
import { FileError } from '../../files.ts';
import { TabError } from '#browsers/tab/tab.ts';
import { type TaskScope, openTaskScope } from '../../task-scope.ts';
import { workerAddress } from '../../workers/worker-process.ts';
import {
  executeProgramCall,
  type FromProgram,
  type ProgramBounds,
  type ProgramWorld,
  type ProgramStart,
  toProgramMax,
  type ToProgram,
} from './program-calls.ts';

/**
 * Result of a program. After a success: its last printed text, parsed if it is JSON; null without output. After a
 * failure: the reason.
 */
export type ProgramResult =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** Default limits of a program. */
export const programBounds: ProgramBounds = {
  computeMs: 2_000,
  silentMs: 30_000,
  wholeMs: 300_000,
  memoryBytes: 33_554_432,
  callsMax: 200,
};

const sourceMax = 65_536;

/**
 * Node options of the process. They limit the heap, which holds modules and copies of messages. They also forbid
 * the process to write files and to start processes.
 */
const processOptions = ['--max-old-space-size=64', '--max-semi-space-size=4', '--permission', '--allow-fs-read=*'];

/** Structure limits of printed JSON. */
const printedBounds = { depth: 100, values: 100_000 } as const;

/**
 * Runs a program of the dialect `programDialect` in a child process. The program has no network, environment or
 * timers, and no files of the host: it can only make calls to `door`. Rejects with the reason of the door's signal when
 * that signal aborts, and for a bug.
 */
export async function runProgram(
  source: string,
  door: ProgramWorld,
  bounds: ProgramBounds = programBounds,
): Promise<ProgramResult> {
  if (source.length > sourceMax) return failed(`the program has more than ${sourceMax} characters`);
  const missing = await missingInterpreter();
  if (missing !== null) return failed(missing);
  const start: ProgramStart = { source, bounds };
  const timeIsUp = AbortSignal.timeout(bounds.wholeMs);
  const signal = AbortSignal.any([door.signal, timeIsUp]);
  const worker = fork(workerAddress('program-worker', import.meta.url), [], {
    env: {},
    execArgv: processOptions,
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

/** Returns why programs cannot run on this machine; null if they can. */
async function missingInterpreter(): Promise<string | null> {
  try {
    await loadOptional('programs', async () => import.meta.resolve('quickjs-emscripten'));
    return null;
  } catch (error) {
    if (error instanceof MissingPackage) return error.message;
    throw error;
  }
}

/**
 * Answers the calls of a program one after the other until the program ends or exceeds a limit, or the signal of `door`
 * aborts. Then waits for the call in progress; further calls get no answer.
 */
async function attend(worker: ChildProcess, door: ProgramWorld, bounds: ProgramBounds): Promise<ProgramResult> {
  const ended = Promise.withResolvers<ProgramResult>();
  const onSilence = (): void => ended.resolve(failed('the program computes for too long'));
  let silence = setTimeout(onSilence, bounds.silentMs);
  let calls = 0;
  let pending = 0;
  let before = Promise.resolve();
  const scope = openTaskScope(door.signal);
  worker.on('message', (message: FromProgram) => {
    clearTimeout(silence);
    if (message.kind === 'printed') return ended.resolve(printed(message.text));
    if (message.kind === 'failed') return ended.resolve(failed(message.reason));
    calls += 1;
    pending += 1;
    if (calls > bounds.callsMax)
      return ended.resolve(failed(`the program asked for more than ${bounds.callsMax} things`));
    const answer = async (): Promise<void> => {
      const answered = await answerTo(message, door, scope);
      if (worker.connected) worker.send(answered);
      pending -= 1;
      if (pending === 0) silence = setTimeout(onSilence, bounds.silentMs);
    };
    before = before.then(answer).catch(ended.reject);
  });
  worker.on('error', ended.reject);
  worker.once('exit', (code, signal) => {
    // V8 aborts a process with a full heap.
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
    const answerText = JSON.stringify(await scope.run(() => executeProgramCall(door, name, argumentsText)));
    if (answerText.length <= toProgramMax) return { id, ok: true, answerText };
    const message = `The answer has ${answerText.length} characters, and a program can read at most ${toProgramMax}.`;
    return { id, ok: false, message };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof TabError || error instanceof FileError) return { id, ok: false, message: error.message };
    throw error;
  }
}

/**
 * Parses printed text as JSON and returns other text unchanged; null for an empty text. Fails for JSON beyond the
 * structure limits.
 */
function printed(text: string): ProgramResult {
  if (text === '') return { ok: true, output: null };
  // Only text that begins with a bracket can be JSON with many values; plain text may contain any number of commas.
  if (/^\s*[[{]/u.test(text) && !isWithin(Buffer.from(text), printedBounds)) {
    const { depth, values } = printedBounds;
    return failed(`the program printed more than ${values} values, or more than ${depth} in each other`);
  }
  try {
    const output: JsonValue = JSON.parse(text);
    return { ok: true, output };
  } catch (error) {
    // A program may print plain text.
    if (error instanceof SyntaxError) return { ok: true, output: text };
    throw error;
  }
}
