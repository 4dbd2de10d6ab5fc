import type { Agent } from '../../src/agent/agent.ts';
import { judgeTask, type Verdict } from '../../test/tasks/judge-task.ts';
import type { Task } from '../../test/tasks/task-file.ts';
import { runTask } from '../../test/tasks/run-task.ts';

/** A task with its result. */
export interface TaskResult {
  readonly task: Task;
  readonly verdict: Verdict;
}

/** Options of running tasks. */
export interface RunTasks {
  readonly agentOf: (task: Task) => Agent;
  /** Number of concurrent tasks, at least 1. */
  readonly jobs: number;
  /** Called with each result. */
  readonly progress: (result: TaskResult) => void;
}

/** Runs tasks, each with a new service and site; results are in the order of the tasks. */
export async function runTasks(tasks: readonly Task[], options: RunTasks): Promise<TaskResult[]> {
  const results: TaskResult[] = [];
  const queue = [...tasks.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, task] = next;
      const result = { task, verdict: await getVerdict(task, options) };
      results[at] = result;
      options.progress(result);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return results;
}

/** Returns the verdict of a task. A task whose service fails counts as unsolved, and the others still run. */
async function getVerdict(task: Task, { agentOf }: RunTasks): Promise<Verdict> {
  try {
    return judgeTask(task, await runTask(task, agentOf(task)));
  } catch (error) {
    return { solved: false, isFalseClaim: false, faults: [`it could not be run: ${String(error)}`] };
  }
}
