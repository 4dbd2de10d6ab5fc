import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Done, Work } from './work.ts';

/** Options of a pool. */
export interface PoolOptions {
  /** Number of processes. */
  readonly jobs: number;
  /** Returns true when no further work may begin. */
  readonly isOver: () => boolean;
  /** Called with every result. */
  readonly onDone: (done: Done) => void;
}

/** Distributes work to processes, one piece at a time each. Rejects when a process ends unexpectedly. */
export async function workThrough(work: readonly Work[], options: PoolOptions): Promise<void> {
  const rest = [...work];
  const count = Math.min(options.jobs, rest.length);
  await Promise.all(Array.from({ length: count }, () => workOn(rest, options)));
}

function workOn(rest: Work[], { isOver, onDone }: PoolOptions): Promise<void> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'worker.ts'));
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const piece = isOver() ? undefined : rest.shift();
      if (piece === undefined) child.disconnect();
      else child.send(piece);
    };
    child.on('message', (done: Done) => {
      onDone(done);
      next();
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a worker has ended with exit code ${code}`));
    });
    next();
  });
}
