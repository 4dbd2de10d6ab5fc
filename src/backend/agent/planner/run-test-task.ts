import type { AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import { TEST_TASKS } from './test-tasks.ts';

const GOAL = /^\s*svc-test:\s*(?<name>[a-z-]*)\s*(?<parameter>.*?)\s*$/is;

/** Runs the test task that a goal names; null when the goal is no test task, a failure when there is none of that name. */
export async function runTestTask(task: AgentTask, world: AgentWorld): Promise<AgentOutcome | null> {
  const found = GOAL.exec(task.goal)?.groups;
  if (found === undefined) return null;
  const { name = '', parameter = '' } = found;
  const testTask = TEST_TASKS.find((one) => one.name === name);
  if (testTask !== undefined) return testTask.run(task, world, parameter);
  const names = TEST_TASKS.map((one) => one.name).join(', ');
  return { success: false, output: `There is no test task "${name}". There are: ${names}.` };
}
