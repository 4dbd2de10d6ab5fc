import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import { fromProgramMax, type FromProgram, type ProgramBounds, type ToProgram } from './program-calls.ts';
import { sandboxModules, sandboxStart } from './sandbox-modules.ts';

/** A budget of computing time for several pieces of work. */
export interface Stopwatch {
  within<Result>(work: () => Result): Result;
  /** Returns whether the budget is used up, also during a call of `within`. */
  isOver(): boolean;
}

/**
 * Creates a stopwatch with a budget of processor time of this thread, in ms. Waiting for a processor does not count.
 */
function createStopwatch(budgetMs: number): Stopwatch {
  let used = 0;
  let since: number | null = null;
  return {
    within(work) {
      since = computedMs();
      try {
        return work();
      } finally {
        used += computedMs() - since;
        since = null;
      }
    },
    isOver: () => used + (since === null ? 0 : computedMs() - since) > budgetMs,
  };
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const textMax = 500;

const stackBytes = 524_288;
const pageBytes = 65_536;
/** Memory that the engine needs to start, in WebAssembly pages. */
const pagesMin = 256;
/** Free memory in bytes below which a failure of the engine counts as out of memory. */
const fullWithinBytes = 2_097_152;
/** Maximum number of characters of one member of an error. */
const errorTextMax = 4_096;

/** The members of the global `WebAssembly` that this module uses. The types of Node do not declare them. */
// oxlint-disable no-unused-vars -- they are used as members of it
declare namespace WebAssembly {
  class Memory {
    constructor(options: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
}
// oxlint-enable no-unused-vars

/** A JavaScript engine that communicates only by messages. */
export interface Sandbox {
  run(source: string): void;
  /** Continues the program with the result of one of its calls. */
  answer(message: ToProgram): void;
  /** Complete memory of the engine. */
  readonly memory: WebAssembly.Memory;
}

interface SandboxOptions {
  readonly bounds: ProgramBounds;
  readonly tell: (message: FromProgram) => void;
}

/**
 * Creates an engine for one program with limits of memory and computing time; the engine ends with its process. The
 * memory limit is the maximum of its WebAssembly memory, because the engine's own counter omits most allocations.
 */
export async function createSandbox({ bounds, tell }: SandboxOptions): Promise<Sandbox> {
  const memory = new WebAssembly.Memory({ initial: pagesMin, maximum: Math.floor(bounds.memoryBytes / pageBytes) });
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory: memory }));
  const runtime = engine.newRuntime();
  const stopwatch = createStopwatch(bounds.computeMs);
  runtime.setMaxStackSize(stackBytes);
  runtime.setInterruptHandler(() => stopwatch.isOver());
  runtime.setModuleLoader((name) => {
    const source = Object.hasOwn(sandboxModules, name) ? sandboxModules[name] : undefined;
    return source ?? { error: new Error(`there is no module "${name}" for a program`) };
  });
  return new QuickSandbox(runtime.newContext(), { memory, stopwatch, bounds, tell });
}

interface SandboxDeps extends SandboxOptions {
  readonly memory: WebAssembly.Memory;
  readonly stopwatch: Stopwatch;
}

interface Call {
  readonly deferred: QuickJSDeferredPromise;
  /** Number of characters of the call's arguments. */
  readonly length: number;
}

class QuickSandbox implements Sandbox {
  readonly memory: WebAssembly.Memory;
  readonly #context: QuickJSContext;
  readonly #stopwatch: Stopwatch;
  readonly #bounds: ProgramBounds;
  readonly #tell: (message: FromProgram) => void;
  readonly #calls = new Map<number, Call>();
  #last = 0;
  /** Number of characters of the arguments of all pending calls. */
  #waiting = 0;
  #printed = '';
  /** Promise of the program, which settles at the end of the program; undefined before the program starts. */
  #program: QuickJSHandle | undefined;
  #hasEnded = false;

  constructor(context: QuickJSContext, { memory, stopwatch, bounds, tell }: SandboxDeps) {
    this.memory = memory;
    this.#context = context;
    this.#stopwatch = stopwatch;
    this.#bounds = bounds;
    this.#tell = tell;
    this.#offer('__call', (name = '', argumentsText = '') => this.#call(name, argumentsText));
    this.#offer('__print', (text = '') => this.#print(text));
  }

  run(source: string): void {
    this.#safely(() => {
      const error = this.#stopwatch.within(() => {
        const started = this.#context.evalCode(sandboxStart, 'start.mjs', { type: 'module' });
        if (started.error !== undefined) return started.error;
        const begun = this.#context.evalCode(source, 'program.mjs', { type: 'module' });
        if (begun.error !== undefined) return begun.error;
        this.#program = begun.value;
        return null;
      });
      if (error === null) this.#goOn();
      else this.#fail(error);
    });
  }

  answer(message: ToProgram): void {
    const call = this.#calls.get(message.id);
    if (call === undefined || this.#hasEnded) return;
    this.#calls.delete(message.id);
    this.#waiting -= call.length;
    this.#safely(() => {
      if (message.ok) this.#context.newString(message.answerText).consume((text) => call.deferred.resolve(text));
      else this.#context.newError(message.message).consume((error) => call.deferred.reject(error));
      this.#goOn();
    });
  }

  /**
   * Executes work in the engine. If the engine exhausts its memory or stack, ends the program; the engine is not used
   * again. Throws any other error.
   */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof RangeError) this.#end('the program nests too deep: its stack is full');
      else if (error instanceof WebAssembly.RuntimeError || this.#isFull()) this.#end(this.#fullReason());
      else throw error;
    }
  }

  #isFull(): boolean {
    return this.memory.buffer.byteLength > this.#bounds.memoryBytes - fullWithinBytes;
  }

  #fullReason(): string {
    return `the program is out of memory: it may use ${this.#bounds.memoryBytes / 1_048_576} MiB`;
  }

  /**
   * Runs pending jobs. Reports the end of a finished program; ends a program that waits without a pending call or has
   * used up its computing time.
   */
  #goOn(): void {
    const ran = this.#stopwatch.within(() => this.#context.runtime.executePendingJobs());
    if (ran.error !== undefined) return this.#fail(ran.error);
    if (this.#program === undefined || this.#hasEnded) return;
    const state = this.#context.getPromiseState(this.#program);
    if (state.type === 'fulfilled') {
      this.#hasEnded = true;
      return this.#tell({ kind: 'printed', text: this.#printed });
    }
    if (state.type === 'rejected') return this.#fail(state.error);
    if (this.#calls.size === 0 || this.#stopwatch.isOver())
      this.#end('the program waits for something that never comes');
  }

  #fail(error: QuickJSHandle): void {
    // The thrown value can have getters, which are code of the program.
    const text = this.#stopwatch.within(() => thrownText(this.#shown(error)));
    this.#end(/out of memory|string too long/.test(text) ? `${this.#fullReason()} (${text})` : text);
  }

  /** Returns name, message and stack of a thrown error, a description of any other object, or a primitive value. */
  #shown(thrown: QuickJSHandle): unknown {
    const kind = this.#context.typeof(thrown);
    if (kind !== 'object') return kind === 'string' ? this.#shortText(thrown) : this.#context.dump(thrown);
    // Without memory for an error object the engine throws null.
    if (this.#context.sameValue(thrown, this.#context.null))
      return 'null, as is thrown when a program is out of memory';
    const [name, message, stack] = ['name', 'message', 'stack'].map((member) =>
      this.#context.getProp(thrown, member).consume((value) => this.#shortText(value)),
    );
    if (message !== undefined) return { name, message, stack };
    return this.#isFull() ? 'an object when the program was out of memory' : 'an object without a message';
  }

  #shortText(handle: QuickJSHandle): string | undefined {
    const length = this.#textLength(handle);
    if (length === null) return undefined;
    return length > errorTextMax ? `a text of ${length} characters` : this.#context.getString(handle);
  }

  /** Returns the number of characters of a string inside the engine; null for other values. */
  #textLength(handle: QuickJSHandle): number | null {
    if (this.#context.typeof(handle) !== 'string') return null;
    return this.#context.getProp(handle, 'length').consume((length) => this.#context.getNumber(length));
  }

  /** Ends the program. Reports exhausted computing time, if that is the cause, instead of `reason`. */
  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const isOver = this.#stopwatch.isOver();
    this.#tell({ kind: 'failed', reason: isOver ? 'the program computes for too long' : reason });
  }

  #call(name: string, argumentsText: string): QuickJSHandle {
    // The first call over the limit is reported and ends the program.
    if (this.#last > this.#bounds.callsMax) throw new Error('a program that asked for too much gets no more');
    if (this.#waiting + argumentsText.length > fromProgramMax)
      throw new Error(`the calls of a program that wait may have at most ${fromProgramMax} characters of arguments`);
    this.#waiting += argumentsText.length;
    this.#last += 1;
    const deferred = this.#context.newPromise();
    this.#calls.set(this.#last, { deferred, length: argumentsText.length });
    this.#tell({ kind: 'call', id: this.#last, name, argumentsText });
    return deferred.handle;
  }

  #print(text: string): QuickJSHandle {
    this.#printed = text;
    return this.#context.undefined;
  }

  /**
   * Defines a host function that takes strings. A call with another value, or with more than {@link fromProgramMax}
   * characters in a string, throws in the program. Such a string is not copied out of the engine.
   */
  #offer(name: string, work: (...given: string[]) => QuickJSHandle): void {
    const offered = this.#context.newFunction(name, (...given) => work(...given.map((one) => this.#bounded(one))));
    offered.consume((handle) => this.#context.setProp(this.#context.global, name, handle));
  }

  #bounded(handle: QuickJSHandle): string {
    const length = this.#textLength(handle);
    if (length === null) throw new TypeError('a program can only hand over texts');
    if (length > fromProgramMax)
      throw new Error(
        `a program may print at most ${fromProgramMax} characters, and give a call as many; found ${length}`,
      );
    return this.#context.getString(handle);
  }
}

/** Returns the error of a program as one line, with the line number if known. */
function thrownText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) return String(thrown).slice(0, textMax);
  const name = 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'Error';
  const [, line] = /program\.mjs:(\d+)/.exec('stack' in thrown ? String(thrown.stack) : '') ?? [];
  const place = line === undefined ? '' : ` (line ${line} of the program)`;
  return `${name}: ${String(thrown.message).slice(0, textMax)}${place}`;
}
