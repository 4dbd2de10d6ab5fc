import type { AgentOutcome, AgentTask } from '#agent/agent.ts';
import type { OutputJudge } from '#agent/output-judge.ts';
import { giveUp, withCode } from '#agent/answer/finish.ts';
import type { Followed } from './follow/follow-directives.ts';

/** More of what a page says when something was sent is no confirmation. */
const SAID_MAX = 200;

/** The outcome of directives that were followed to their end. What a schema asks for is told by the page or not at all. */
export async function finishFollowed(task: AgentTask, followed: Followed, judge: OutputJudge): Promise<AgentOutcome> {
  const { output, done } = followed;
  const text = textOf(followed);
  const judged = task.outputSchema === null ? null : await judge.check(task.outputSchema, output);
  if (judged?.ok === false)
    return giveUp(task, `I could not give the output that was asked for: ${judged.errors[0] ?? ''}.`, done);
  if (task.codeMode) return { success: true, output: withCode(text, done, output) };
  return { success: true, output: output ?? text };
}

function textOf({ answers, said, title, url }: Followed): string {
  if (answers.length > 0) return answers.join('\n');
  const told = said === null ? '' : ` ${said.slice(0, SAID_MAX)}`;
  return `Done.${told} (${title}, ${url})`;
}
