import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Done, Work } from './work.ts';

/** Hands work to some processes, one piece at a time each; `onDone` hears of every piece. Rejects when a process dies. */
export async function workThrough(
  work: readonly Work[],
  { jobs, onDone }: { jobs: number; onDone: (done: Done) => void },
): Promise<void> {
  const rest = [...work];
  const count = Math.min(jobs, rest.length);
  await Promise.all(Array.from({ length: count }, () => workOn(rest, onDone)));
}

function workOn(rest: Work[], onDone: (done: Done) => void): Promise<void> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'worker.ts'));
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const piece = rest.shift();
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
