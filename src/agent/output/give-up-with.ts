import type { AgentOutcome, AgentTask } from '../agent.ts';

/** The outcome of a task that was given up: the reason in words, in the shape that the task's output may have. */
export function giveUpWith(task: AgentTask, reason: string, code = ''): AgentOutcome {
  if (task.codeMode) return { success: false, reason, output: { text: reason, code } };
  return { success: false, reason, output: task.outputSchema === null ? reason : null };
}
