import type { AgentOutcome } from '../../agent.ts';
import type { Finished } from '../options.ts';

/** The outcome of a task that asks for no particular output: what the model said. */
export async function finishPlainly({ text, output }: Finished): Promise<AgentOutcome> {
  return { success: true, output: output ?? text };
}
