import type { ExaminationCounts, ExaminationOrder, Examined, Examiner } from '#api/console/examinations.ts';
import { Worker } from 'node:worker_threads';

/** Messages to the worker thread of the suite. */
export type ToSuite = { readonly kind: 'run'; readonly order: ExaminationOrder } | { readonly kind: 'stop' };

/** Messages from the worker thread of the suite. */
export type FromSuite =
  | { readonly kind: 'counts'; readonly counts: ExaminationCounts }
  | { readonly kind: 'ended'; readonly html: string; readonly violations: number; readonly passed: number }
  | { readonly kind: 'failed'; readonly reason: string };

const memoryMb = 512;

/**
 * Creates an examiner, which runs the conformance suite in worker threads, so that the suite does not block the event
 * loop of the tested service.
 */
export function createExaminer(): Examiner {
  const workers = new Set<Worker>();
  return {
    examine(order, listen) {
      const { signal } = listen;
      const worker = startWorker();
      workers.add(worker);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      const say = (message: ToSuite): void => worker.postMessage(message);
      const stop = (): void => say({ kind: 'stop' });
      signal.addEventListener('abort', stop, { once: true });
      const ended = Promise.withResolvers<Examined>();
      worker.on('message', (message: FromSuite) => {
        if (message.kind === 'counts') listen.onCounts(message.counts);
        else if (message.kind === 'ended') ended.resolve(message);
        else ended.reject(new Error(message.reason));
      });
      worker.on('error', (error) => ended.reject(error));
      worker.on('exit', () => {
        workers.delete(worker);
        signal.removeEventListener('abort', stop);
        ended.reject(new Error('The worker thread of the suite ended before it sent a report: start the run again'));
      });
      say({ kind: 'run', order });
      return ended.promise;
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}

/**
 * Starts the worker module beside this file, which is TypeScript in a checkout and JavaScript in the package. The
 * worker inherits the environment, which may contain paths of programs.
 */
function startWorker(): Worker {
  const { url } = import.meta;
  return new Worker(new URL(`./examine-worker.${url.endsWith('.ts') ? 'ts' : 'js'}`, url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
}
