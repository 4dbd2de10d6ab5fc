import { Worker } from 'node:worker_threads';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { workerAddress } from '../worker-address.ts';
import type { JudgeAnswer, JudgeQuestion } from './judge-message.ts';

/** Whether a value conforms to a schema, and what is wrong with it in words. */
export type Judged = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

/** Judges values by schemas from outside, away from the thread that serves. Owned by whoever made it, who closes it. */
export interface OutputJudge {
  /** Never throws for what a schema or a value can be; one that is too large, too slow or no schema does not conform. */
  check(schema: JsonObject, value: JsonValue): Promise<Judged>;
  close(): Promise<void>;
}

/** Larger outputs are not looked at: characters as JSON. */
const CHARACTERS_MAX = 1_048_576;

const MEMORY_MB = 256;

/** A judge with one worker, which is started when it is first needed and again when a schema has stopped it. */
export function createOutputJudge(): OutputJudge {
  return new PooledJudge();
}

class PooledJudge implements OutputJudge {
  #worker: Worker | undefined;
  #last = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly string[]>>();

  async check(schema: JsonObject, value: JsonValue): Promise<Judged> {
    const valueText = JSON.stringify(value);
    if (valueText.length > CHARACTERS_MAX) return refused(`the output has more than ${CHARACTERS_MAX} characters`);
    const errors = await this.#ask(schema, valueText);
    return errors.length === 0 ? { ok: true } : { ok: false, errors };
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(schema: JsonObject, valueText: string): Promise<readonly string[]> {
    const answered = Promise.withResolvers<readonly string[]>();
    this.#last += 1;
    this.#waiting.set(this.#last, answered);
    this.#worker ??= this.#start();
    // Only while somebody waits does it keep the process alive.
    this.#worker.ref();
    const question: JudgeQuestion = { id: this.#last, schema, valueText };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#worker.postMessage(question);
    return answered.promise;
  }

  #start(): Worker {
    const worker = new Worker(workerAddress('judge-worker', import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.on('message', ({ id, errors }: JudgeAnswer) => this.#settle(id, errors));
    worker.on('error', (error) => {
      const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      for (const id of this.#waiting.keys())
        if (isFull) this.#settle(id, ['the output is too costly to check against the output schema']);
        else this.#take(id)?.reject(error);
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const id of this.#waiting.keys()) this.#settle(id, ['the service ended before the output was checked']);
    });
    return worker;
  }

  #settle(id: number, errors: readonly string[]): void {
    this.#take(id)?.resolve(errors);
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  #take(id: number): PromiseWithResolvers<readonly string[]> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

function refused(error: string): Judged {
  return { ok: false, errors: [error] };
}
