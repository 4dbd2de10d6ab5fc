import { openJournal } from './journal.ts';
import type { Done, LongOptions, Work } from './work.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** A proof that consists of many independent pieces of work. */
export interface Proof {
  /** Name of the journal of this proof. */
  readonly name: string;
  readonly work: readonly Work[];
  /** Returns the problems of a result; an empty list without problems. */
  readonly findProblems: (done: Done) => readonly string[];
}

/** Result of all pieces of work of a proof. */
export interface Proved {
  readonly commit: string;
  /** Total number of pieces of work. */
  readonly planned: number;
  readonly done: readonly Done[];
  /** All problems, each with the key of its work. */
  readonly problems: readonly string[];
}

/**
 * Performs the pieces of work that the journal of a proof does not contain yet, until the time limit. Prints each
 * problem, and the progress after every 25 pieces.
 */
export async function prove(
  { name, work, findProblems }: Proof,
  { jobs, minutes, fresh }: LongOptions,
): Promise<Proved> {
  const journal = openJournal(name, fresh);
  const rest = work.filter(({ key }) => !journal.done.has(key));
  console.log(`${name} on ${journal.commit}: ${work.length} in all, ${work.length - rest.length} done before`);
  const until = performance.now() + minutes * 60_000;
  let count = work.length - rest.length;
  await workThrough(rest, {
    jobs,
    isOver: () => performance.now() > until,
    onDone: (done) => {
      journal.add(done);
      count += 1;
      for (const problem of findProblems(done)) console.log(`  ${done.key}: ${problem}`);
      if (count % 25 === 0) console.log(`${count} of ${work.length}`);
    },
  });
  const done = work.flatMap(({ key }) => journal.done.get(key) ?? []);
  return {
    commit: journal.commit,
    planned: work.length,
    done,
    problems: done.flatMap((found) => findProblems(found).map((problem) => `${found.key}: ${problem}`)),
  };
}

/** Options of a pool of concurrent workers. */
export interface PoolOptions {
  /** Maximum number of child processes that work at the same time. */
  readonly jobs: number;
  /** Returns true when no further work may begin. */
  readonly isOver: () => boolean;
  /** Called with every result. */
  readonly onDone: (done: Done) => void;
}

/**
 * Distributes work to child processes, each of which does one piece at a time. Rejects when a process ends
 * unexpectedly.
 */
async function workThrough(work: readonly Work[], options: PoolOptions): Promise<void> {
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
