import type { JsonObject } from '#domain/json.ts';
import type { AgentOutcome, AgentTask } from '../agent.ts';
import { bounded, timedOut } from '../output/schema/bounded.ts';
import { checkSchemaBounds } from '../output/schema/check-schema-bounds.ts';
import { compileSchema } from '../output/schema/compile-schema.ts';
import { giveUp, withCode } from './finish.ts';
import type { Followed } from './follow/follow-directives.ts';

/** More of what a page says when something was sent is no confirmation. */
const SAID_MAX = 200;

/** The outcome of directives that were followed to their end. What a schema asks for is told by the page or not at all. */
export function finishFollowed(task: AgentTask, followed: Followed): AgentOutcome {
  const { output, done } = followed;
  const text = textOf(followed);
  const problem = task.outputSchema === null ? undefined : problemOf(task.outputSchema, output);
  if (problem !== undefined) return giveUp(task, `I could not give the output that was asked for: ${problem}.`, done);
  if (task.codeMode) return { success: true, output: withCode(text, done, output) };
  return { success: true, output: output ?? text };
}

function problemOf(schema: JsonObject, output: Followed['output']): string | undefined {
  const outOfBounds = checkSchemaBounds(schema);
  if (outOfBounds !== null) return outOfBounds;
  const problems = bounded(() => {
    const judge = compileSchema(schema);
    return typeof judge === 'string' ? [judge] : judge(output);
  });
  return problems === timedOut ? 'the output schema takes too long to check' : problems[0];
}

function textOf({ answers, said, title, url }: Followed): string {
  if (answers.length > 0) return answers.join('\n');
  const told = said === null ? '' : ` ${said.slice(0, SAID_MAX)}`;
  return `Done.${told} (${title}, ${url})`;
}
