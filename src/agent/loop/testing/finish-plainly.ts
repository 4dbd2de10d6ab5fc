import type { AgentOutcome } from '../../agent.ts';
import type { Finished } from '../options.ts';

/** Returns a successful outcome with the model's output, or with the model's text if it gave no output. */
export async function finishPlainly({ text, output }: Finished): Promise<AgentOutcome> {
  return { success: true, output: output ?? text };
}
