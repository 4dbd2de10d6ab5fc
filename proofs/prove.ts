import { openJournal } from './journal.ts';
import { workThrough } from './pool.ts';
import type { Done, LongOptions, Work } from './work.ts';

/** A proof in progress. */
export interface Proof {
  /** Name of its journal. */
  readonly name: string;
  readonly work: readonly Work[];
  /** Returns the problems of a result; empty without any. */
  readonly problemsOf: (done: Done) => readonly string[];
}

/** Result of a proof. */
export interface Proved {
  readonly commit: string;
  /** Total number of pieces of work. */
  readonly planned: number;
  readonly done: readonly Done[];
  /** All problems, each with the key of its work. */
  readonly problems: readonly string[];
}

/** Does the remaining work of a proof and prints its progress: each problem, and every 25 pieces. */
export async function prove({ name, work, problemsOf }: Proof, { jobs, minutes, fresh }: LongOptions): Promise<Proved> {
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
      for (const problem of problemsOf(done)) console.log(`  ${done.key}: ${problem}`);
      if (count % 25 === 0) console.log(`${count} of ${work.length}`);
    },
  });
  const done = work.flatMap(({ key }) => journal.done.get(key) ?? []);
  return {
    commit: journal.commit,
    planned: work.length,
    done,
    problems: done.flatMap((found) => problemsOf(found).map((problem) => `${found.key}: ${problem}`)),
  };
}
