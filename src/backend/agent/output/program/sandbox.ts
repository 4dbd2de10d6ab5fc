import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten';
import type { FromProgram, ProgramBounds, ToProgram } from './program-message.ts';
import { SANDBOX_MODULES, SANDBOX_START } from './sandbox-modules.ts';
import { type Stopwatch, createStopwatch } from './stopwatch.ts';
import { thrownText } from './thrown-text.ts';

const STACK_BYTES = 524_288;
const PRINTED_MAX = 1_048_576;

/** A JavaScript engine with no way out but the messages that it tells. */
export interface Sandbox {
  run(source: string): void;
  /** Lets the program go on with what came of one of its calls. */
  answer(message: ToProgram): void;
}

interface SandboxOptions {
  readonly bounds: ProgramBounds;
  readonly tell: (message: FromProgram) => void;
}

/** An engine for one program, bounded in memory and in the time that it computes; ends with the thread that it is in. */
export function createSandbox(engine: QuickJSWASMModule, { bounds, tell }: SandboxOptions): Sandbox {
  const runtime = engine.newRuntime();
  const stopwatch = createStopwatch(bounds.computeMs);
  runtime.setMemoryLimit(bounds.memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(() => stopwatch.isOver());
  runtime.setModuleLoader(
    (name) => SANDBOX_MODULES[name] ?? { error: new Error(`there is no module "${name}" for a program`) },
  );
  return new QuickSandbox(runtime.newContext(), stopwatch, tell);
}

class QuickSandbox implements Sandbox {
  readonly #context: QuickJSContext;
  readonly #stopwatch: Stopwatch;
  readonly #tell: (message: FromProgram) => void;
  readonly #calls = new Map<number, QuickJSDeferredPromise>();
  #last = 0;
  #printed = '';
  /** Settled when the program has ended. */
  #program: QuickJSHandle | undefined;

  constructor(context: QuickJSContext, stopwatch: Stopwatch, tell: (message: FromProgram) => void) {
    this.#context = context;
    this.#stopwatch = stopwatch;
    this.#tell = tell;
    this.#offer('__call', (name, argumentsText) => this.#call(name, argumentsText));
    this.#offer('__print', (text) => this.#print(text));
  }

  run(source: string): void {
    const error = this.#stopwatch.within(() => {
      const started = this.#context.evalCode(SANDBOX_START, 'start.mjs', { type: 'module' });
      if (started.error !== undefined) return started.error;
      const begun = this.#context.evalCode(source, 'program.mjs', { type: 'module' });
      if (begun.error !== undefined) return begun.error;
      this.#program = begun.value;
      return null;
    });
    if (error === null) this.#goOn();
    else this.#fail(error);
  }

  answer(message: ToProgram): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    this.#calls.delete(message.id);
    if (message.ok) this.#context.newString(message.answerText).consume((text) => call.resolve(text));
    else this.#context.newError(message.message).consume((error) => call.reject(error));
    this.#goOn();
  }

  /** Lets what can go on go on, and tells the end when there is one. */
  #goOn(): void {
    const ran = this.#stopwatch.within(() => this.#context.runtime.executePendingJobs());
    if (ran.error !== undefined) return this.#fail(ran.error);
    if (this.#program === undefined) return;
    const state = this.#context.getPromiseState(this.#program);
    if (state.type === 'fulfilled') return this.#tell({ kind: 'printed', text: this.#printed });
    if (state.type === 'rejected') return this.#fail(state.error);
    if (this.#calls.size === 0 || this.#stopwatch.isOver())
      this.#end('the program waits for something that never comes');
  }

  #fail(error: QuickJSHandle): void {
    // What was thrown can have getters, which are the program's own.
    this.#end(this.#stopwatch.within(() => thrownText(this.#context.dump(error))));
  }

  /** What an engine says that was interrupted is not the reason. */
  #end(reason: string): void {
    const isOver = this.#stopwatch.isOver();
    this.#tell({ kind: 'failed', reason: isOver ? 'the program computes for too long' : reason });
  }

  #call(name: string, argumentsText: string): QuickJSHandle {
    this.#last += 1;
    const deferred = this.#context.newPromise();
    this.#calls.set(this.#last, deferred);
    this.#tell({ kind: 'call', id: this.#last, name, argumentsText });
    return deferred.handle;
  }

  #print(text: string): QuickJSHandle {
    if (text.length > PRINTED_MAX) throw new Error(`a program may print at most ${PRINTED_MAX} characters`);
    this.#printed = text;
    return this.#context.undefined;
  }

  #offer(name: string, work: (...given: string[]) => QuickJSHandle): void {
    const offered = this.#context.newFunction(name, (...given) =>
      work(...given.map((one) => this.#context.getString(one))),
    );
    offered.consume((handle) => this.#context.setProp(this.#context.global, name, handle));
  }
}
