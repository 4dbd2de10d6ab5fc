import { NotRun } from './outcome.ts';

/** A kind of work that is waited for. */
export type AwaitedKind = 'session' | 'task' | 'run';

/**
 * Counts the tasks of a run that did not end within `polling.taskDeadlineMs`, so that a target whose tasks never end is reported after a
 * few deadlines and not after one for each scenario.
 */
export interface TaskDeadlines {
  /** Notes a task that had not ended at its deadline. */
  noteMissed(kind: AwaitedKind): void;
  /** True when so many tasks have missed their deadline that no further one of this kind is begun. */
  isGivenUp(kind: AwaitedKind): boolean;
  /** Throws NotRun when this kind is given up. */
  assertWorthStarting(kind: AwaitedKind): void;
}

/** Two tasks of a kind, or three of all kinds. */
const missedMax = { ofKind: 2, ofAll: 3 } as const;

/** Creates the counters of one run. The deadline, in ms, is named in the reason. */
export function createTaskDeadlines(deadlineMs: number): TaskDeadlines {
  const missed: Record<AwaitedKind, number> = { session: 0, task: 0, run: 0 };
  const isGivenUp = (kind: AwaitedKind): boolean =>
    missed[kind] >= missedMax.ofKind || missed.session + missed.task + missed.run >= missedMax.ofAll;
  return {
    noteMissed: (kind) => {
      missed[kind] += 1;
    },
    isGivenUp,
    assertWorthStarting: (kind) => {
      if (!isGivenUp(kind)) return;
      const count = missed.session + missed.task + missed.run;
      throw new NotRun(
        `${count} tasks had not ended after ${deadlineMs} ms each (polling.taskDeadlineMs of the target file)`,
      );
    },
  };
}
