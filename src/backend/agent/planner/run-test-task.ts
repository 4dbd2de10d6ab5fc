import { testTasks } from '#generated/rules.ts';
import type { JsonValue } from '#domain/json.ts';
import type { AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import { conformOutput } from './conform-output.ts';
import { factsByName } from './facts-by-name.ts';
import { giveUp, withCode } from './finish.ts';
import { TEST_COURSES, type TestResult, pageAddress } from './test-tasks.ts';
import { readTestTask } from './read-test-task.ts';

/** Runs the test task that a goal names; null when the goal is no test task, a failure when there is none of that name. */
export async function runTestTask(task: AgentTask, world: AgentWorld): Promise<AgentOutcome | null> {
  const read = readTestTask(task.goal);
  if (read === null) return null;
  const { name, word, parameter } = read;
  if (name !== null) return shape(task, await TEST_COURSES[name](world, parameter));
  const names = testTasks.tasks.map((row) => row.name).join(', ');
  return giveUp(task, `There is no test task "${word}". There are: ${names}.`, []);
}

/** Gives a result the shape that the request asks for: free text, data of its schema, or the object of code mode. */
function shape(task: AgentTask, { success, text, data, isAbandoned = false }: TestResult): AgentOutcome {
  const actions = [{ kind: 'open', url: pageAddress(text) } as const];
  if (!success) return giveUp(task, text, actions);
  const output = dataOf(task, text, data);
  if (output === null) return giveUp(task, 'I could not give the output that was asked for.', actions);
  const shaped = task.codeMode ? withCode(text, actions, output) : output;
  return { success: true, output: shaped, ...(isAbandoned ? { isAbandoned } : {}) };
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
