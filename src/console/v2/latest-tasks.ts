import type { V2TaskItem } from '../api/types.ts';

/** The latest task of each session among tasks, which stand newest first. */
export function latestTasks(tasks: readonly V2TaskItem[]): ReadonlyMap<string, V2TaskItem> {
  return new Map(tasks.toReversed().map((task) => [task.sessionId, task]));
}
