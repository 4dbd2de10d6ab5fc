import { NotRun } from './outcome.ts';

/** Resource that is polled until its task has ended: a V3 session, a V2 task or a V4 run. */
export type AwaitedKind = 'session' | 'task' | 'run';

/**
 * Counts the tasks of a run that missed `polling.taskDeadlineMs`. A run against a target whose tasks never end thus
 * waits for a few deadlines instead of one deadline per scenario.
 */
export interface TaskDeadlines {
  /** Counts a task that had not ended at its deadline. */
  noteMissed(kind: AwaitedKind): void;
  /** Returns true if so many tasks have missed their deadline that no further task of this kind may start. */
  isGivenUp(kind: AwaitedKind): boolean;
  /** Throws NotRun if no further task of this kind may start. */
  assertWorthStarting(kind: AwaitedKind): void;
}

/** Number of missed deadlines after which no further task may start: of tasks of one kind, or of all tasks. */
const missedMax = { ofKind: 2, ofAll: 3 } as const;

/** Creates the counters of one run. `deadlineMs` appears in the message of NotRun. */
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
      // The message omits their number: tasks that are awaited at the same time miss their deadlines in any order.
      throw new NotRun(
        `earlier tasks had not ended after ${deadlineMs} ms each (polling.taskDeadlineMs of the target file)`,
      );
    },
  };
}
