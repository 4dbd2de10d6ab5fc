import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Answer, Order } from './piece.ts';

/** A child process that judges mutants one after another. */
export interface Judge extends AsyncDisposable {
  /**
   * Judges a mutant. Resolves to a `fatal` answer when the process ends or exceeds the deadline; the process accepts no
   * further order then. Rejects if the process accepts no order.
   */
  ask(order: Order): Promise<Answer>;
  /** Returns whether the process accepts another order: it runs, and its last service has stopped. */
  isReady(): boolean;
}

/** Deadline in milliseconds after which a mutant counts as hanging. It is longer than the time limit of a run. */
const silenceMs = 150_000;

/** Options for starting a child process that judges mutants. */
interface Beginning {
  /** Id of the mutant that is active from the start. @defaultValue none */
  readonly active?: string | undefined;
  /** Whether the process counts reached mutants. @defaultValue false */
  readonly isCounting?: boolean;
}

/** Starts a process on the instrumented sources in a folder. */
export function openJudge(folder: string, { active, isCounting = false }: Beginning = {}): Judge {
  const child = fork(join(import.meta.dirname, 'judge-process.ts'), {
    execArgv: ['--import', join(import.meta.dirname, 'load-instrumented.ts')],
    env: {
      ...process.env,
      SVC_INSTRUMENTED: folder,
      ...(isCounting ? { SVC_COUNT_REACHED: '1' } : {}),
      ...(active === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: active }),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-2000)));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  let isReady = true;
  return {
    isReady: () => isReady,
    async ask(order) {
      if (!isReady)
        throw new Error('found a process that takes no further order, expected isReady to be asked: open another one');
      const answer = await answerTo(child, order, ended);
      isReady = typeof answer !== 'string' && answer.hasStopped;
      return typeof answer === 'string' ? fatal(`${answer} ${said.trim()}`) : answer;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Returns the answer of the process, or a text with the reason if the process ends or does not answer within
 * `silenceMs`.
 */
async function answerTo(child: ChildProcess, order: Order, ended: Promise<void>): Promise<Answer | string> {
  let timer: NodeJS.Timeout | undefined;
  let onMessage: ((answer: Answer) => void) | undefined;
  const answered = new Promise<Answer>((resolve) => {
    onMessage = resolve;
    child.once('message', onMessage);
  });
  const silent = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`hung for ${silenceMs / 1000} s`), silenceMs);
  });
  child.send(order);
  return Promise.race([answered, silent, ended.then(() => `ended with exit code ${child.exitCode}:`)]).finally(() => {
    clearTimeout(timer);
    if (onMessage !== undefined) child.off('message', onMessage);
  });
}

function fatal(note: string): Answer {
  return { result: 'fatal', failing: [], note: note.slice(0, 400), seconds: 0, hasChanged: true, hasStopped: false };
}
