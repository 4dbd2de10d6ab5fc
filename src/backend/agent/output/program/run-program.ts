import { Worker } from 'node:worker_threads';
import type { JsonValue } from '#domain/json.ts';
import { MissingPackage, loadOptional } from '#domain/load-optional.ts';
import { FileError } from '../../files.ts';
import { TabError } from '../../tab.ts';
import { type TaskScope, openTaskScope } from '../../task-scope.ts';
import { workerAddress } from '../worker-address.ts';
import { type ProgramDoor, doCall } from './door-calls.ts';
import type { FromProgram, ProgramBounds, ProgramStart, ToProgram } from './program-message.ts';

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

/** The interpreter's own memory comes on top of the program's. */
const WORKER_MEMORY_MB = 128;

/**
 * Runs a program of the dialect `PROGRAM_DIALECT` in a thread of its own, without network, files, environment or time of its
 * own: all it can do is ask the door. Rejects with the door's signal's reason when that aborts, and for a bug.
 */
export async function runProgram(
  source: string,
  door: ProgramDoor,
  bounds: ProgramBounds = PROGRAM_BOUNDS,
): Promise<ProgramResult> {
  if (source.length > SOURCE_MAX) return failed(`the program has more than ${SOURCE_MAX} characters`);
  const missing = await missingInterpreter();
  if (missing !== null) return failed(missing);
  const start: ProgramStart = { source, bounds };
  const timeIsUp = AbortSignal.timeout(bounds.wholeMs);
  const signal = AbortSignal.any([door.signal, timeIsUp]);
  const worker = new Worker(workerAddress('program-worker', import.meta.url), {
    env: {},
    workerData: start,
    resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB },
  });
  try {
    return await attend(worker, { ...door, signal }, bounds);
  } catch (error) {
    door.signal.throwIfAborted();
    if (!timeIsUp.aborted) throw error;
    return failed(`the program took longer than ${bounds.wholeMs / 1_000} s`);
  } finally {
    await worker.terminate();
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
async function attend(worker: Worker, door: ProgramDoor, bounds: ProgramBounds): Promise<ProgramResult> {
  const ended = Promise.withResolvers<ProgramResult>();
  const onSilence = (): void => ended.resolve(failed('the program computes for too long'));
  let silence = setTimeout(onSilence, bounds.silentMs);
  let calls = 0;
  let before = Promise.resolve();
  const scope = openTaskScope(door.signal);
  worker.on('message', (message: FromProgram) => {
    clearTimeout(silence);
    if (message.kind === 'printed') return ended.resolve({ ok: true, output: printed(message.text) });
    if (message.kind === 'failed') return ended.resolve(failed(message.reason));
    calls += 1;
    if (calls > bounds.callsMax)
      return ended.resolve(failed(`the program asked for more than ${bounds.callsMax} things`));
    const answer = async (): Promise<void> => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      worker.postMessage(await answerTo(message, door, scope));
      clearTimeout(silence);
      silence = setTimeout(onSilence, bounds.silentMs);
    };
    before = before.then(answer).catch(ended.reject);
  });
  worker.on('error', (error) => {
    const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (isFull) ended.resolve(failed('the program uses too much memory'));
    else ended.reject(error);
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
  door: ProgramDoor,
  scope: TaskScope,
): Promise<ToProgram> {
  try {
    const answer = await scope.run(() => doCall(door, name, argumentsText));
    return { id, ok: true, answerText: JSON.stringify(answer) };
  } catch (error) {
    scope.signal.throwIfAborted();
    if (error instanceof TabError || error instanceof FileError) return { id, ok: false, message: error.message };
    throw error;
  }
}

function printed(text: string): JsonValue {
  if (text === '') return null;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    // A program may print plain words.
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
