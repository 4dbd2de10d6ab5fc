import type { JsonValue } from '#domain/json.ts';
import type { AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import { conformOutput } from './conform-output.ts';
import { factsByName } from './facts-by-name.ts';
import { giveUp, withCode } from './finish.ts';
import { TEST_TASKS, type TestResult, pageAddress } from './test-tasks.ts';

/** A word behind `#` tells goals apart and means nothing. */
const GOAL = /^\s*svc-test:\s*(?<name>[a-z-]*)\s*(?<parameter>.*?)\s*(?:#\w*)?\s*$/is;

/** Runs the test task that a goal names; null when the goal is no test task, a failure when there is none of that name. */
export async function runTestTask(task: AgentTask, world: AgentWorld): Promise<AgentOutcome | null> {
  const found = GOAL.exec(task.goal)?.groups;
  if (found === undefined) return null;
  const { name = '', parameter = '' } = found;
  const testTask = TEST_TASKS.find((one) => one.name === name);
  if (testTask !== undefined) return shape(task, await testTask.run(world, parameter));
  const names = TEST_TASKS.map((one) => one.name).join(', ');
  return giveUp(task, `There is no test task "${name}". There are: ${names}.`, []);
}

/** Gives a result the shape that the request asks for: free text, data of its schema, or the object of code mode. */
function shape(task: AgentTask, { success, text, data }: TestResult): AgentOutcome {
  const actions = [{ kind: 'open', url: pageAddress(text) } as const];
  if (!success) return giveUp(task, text, actions);
  const output = dataOf(task, text, data);
  if (output === null) return giveUp(task, 'I could not give the output that was asked for.', actions);
  return { success: true, output: task.codeMode ? withCode(text, actions, output) : output };
}

function dataOf(task: AgentTask, text: string, data: TestResult['data']): JsonValue {
  if (task.outputSchema === null) return data ?? text;
  const headings = [`Page of ${text}`];
  const facts = { title: text, headings, links: [], tables: [], text: headings.join(' ') };
  const conformed = conformOutput(task.outputSchema, {
    answer: text,
    byName: factsByName(facts, text),
    unknown: 'smallest',
  });
  return conformed.ok ? conformed.output : null;
}
