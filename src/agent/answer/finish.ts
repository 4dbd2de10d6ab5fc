import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentOutcome, AgentTask } from '../agent.ts';
import type { OutputJudge } from '../output-judge.ts';
import { answerText } from './answer-text.ts';
import type { Facts } from './facts.ts';
import { factsByName } from './facts-by-name.ts';
import type { Deed } from './plan.ts';
import { writeScript } from './write-script.ts';

/** What was done and found. */
export interface Work {
  readonly actions: readonly Deed[];
  readonly facts: Facts;
}

/** The outcome of work that reached its end: free text, or what the task's schema and code mode ask for. */
export async function finish(task: AgentTask, { actions, facts }: Work, judge: OutputJudge): Promise<AgentOutcome> {
  const text = answerText(actions, facts);
  if (task.outputSchema === null)
    return { success: true, output: task.codeMode ? withCode(text, actions, readData(facts)) : text };
  const conformed = await judge.conform(task.outputSchema, { answer: text, facts, unknown: 'refuse' });
  if (!conformed.ok)
    return giveUp(task, `I could not give the output that was asked for: ${conformed.reason}.`, actions);
  return { success: true, output: task.codeMode ? withCode(text, actions, conformed.output) : conformed.output };
}

/** The outcome of a task that was given up: the reason, unless the output may only be what a schema describes. */
export function giveUp(task: AgentTask, reason: string, actions: readonly Deed[]): AgentOutcome {
  if (task.codeMode) return { success: false, reason, output: { text: reason, code: writeScript(actions) } };
  return { success: false, reason, output: task.outputSchema === null ? reason : null };
}

/** The output of code mode (contract section 2, Session, `output`). */
export function withCode(text: string, actions: readonly Deed[], output: JsonValue): JsonObject {
  return { text, code: writeScript(actions), output };
}

function readData(facts: Facts): JsonObject {
  const byName = factsByName(facts, '');
  const names = ['title', 'headings', 'links', 'tables', 'text', 'url', 'file', 'files'] as const;
  return Object.fromEntries(names.flatMap((name) => (facts[name] === undefined ? [] : [[name, byName(name) ?? null]])));
}
