import type { AgentOutcome } from '../../agent.ts';
import type { Finished } from '../options.ts';

/** Returns the outcome of a task without a required output: the model's statement. */
export async function finishPlainly({ text, output }: Finished): Promise<AgentOutcome> {
  return { success: true, output: output ?? text };
}
