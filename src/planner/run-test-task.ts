import { testTasks } from '#generated/rules.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentOutcome, AgentTask, AgentWorld } from '#agent/agent.ts';
import type { OutputJudge } from '#agent/output-judge.ts';
import { giveUp, withCode } from '#agent/answer/finish.ts';
import { TEST_COURSES, type TestResult, pageAddress } from './test-tasks.ts';
import { readTestTask } from './read-test-task.ts';

/** Runs the test task that a goal names; null when the goal is no test task, a failure when there is none of that name. */
export async function runTestTask(task: AgentTask, world: AgentWorld): Promise<AgentOutcome | null> {
  const read = readTestTask(task.goal);
  if (read === null) return null;
  const { name, word, parameter } = read;
  if (name !== null) return shape(task, await TEST_COURSES[name](world, parameter), world.judge);
  const names = testTasks.tasks.map((row) => row.name).join(', ');
  return giveUp(task, `There is no test task "${word}". There are: ${names}.`, []);
}

/** Gives a result the shape that the request asks for: free text, data of its schema, or the object of code mode. */
async function shape(
  task: AgentTask,
  { success, text, data, isAbandoned = false }: TestResult,
  judge: OutputJudge,
): Promise<AgentOutcome> {
  const actions = [{ kind: 'open', url: pageAddress(text) } as const];
  if (!success) return giveUp(task, text, actions);
  const output = task.outputSchema === null ? (data ?? text) : await outputFor(task.outputSchema, text, judge);
  if (output === null) return giveUp(task, 'I could not give the output that was asked for.', actions);
  const shaped = task.codeMode ? withCode(text, actions, output) : output;
  return { success: true, output: shaped, ...(isAbandoned ? { isAbandoned } : {}) };
}

async function outputFor(schema: JsonObject, text: string, judge: OutputJudge): Promise<JsonValue> {
  const headings = [`Page of ${text}`];
  const facts = { title: text, headings, links: [], tables: [], text: headings.join(' ') };
  const conformed = await judge.conform(schema, { answer: text, facts, unknown: 'smallest' });
  return conformed.ok ? conformed.output : null;
}
