import type { StepUsage } from '../agent.ts';
import type { ModelUsage } from '../model/model-call.ts';
import type { AgentLimits } from './agent-limits.ts';

/** How far a task has come, and how far it may go. */
export interface Progress {
  /** Counts one call of the model. */
  addCall(usage: ModelUsage): void;
  /** Counts one step; answers what the model calls since the last one used. */
  addStep(): StepUsage;
  stepsLeft(): number;
  /** Why the task has to be given up now, or null. */
  end(): string | null;
  /** The sentence for a task whose steps are used up. */
  usedUp(): string;
}

/** Turns without a step, such as looks and wrong calls, that come on top of one turn for each step. */
const TURNS_MORE = 50;

/** Nothing was done yet. `maxSteps` is the task's own bound, null for none. */
export function createProgress(limits: AgentLimits, maxSteps: number | null): Progress {
  const stepsMax = Math.min(limits.steps, maxSteps ?? limits.steps);
  let [steps, calls, tokens] = [0, 0, 0];
  let open: StepUsage = { inputTokens: 0, outputTokens: 0 };
  return {
    addCall({ inputTokens, outputTokens }) {
      calls += 1;
      tokens += inputTokens + outputTokens;
      open = { inputTokens: open.inputTokens + inputTokens, outputTokens: open.outputTokens + outputTokens };
    },
    addStep() {
      steps += 1;
      const usage = open;
      open = { inputTokens: 0, outputTokens: 0 };
      return usage;
    },
    stepsLeft: () => stepsMax - steps,
    end() {
      if (tokens >= limits.tokens) return `I used ${tokens} tokens, which is more than a task may take.`;
      return calls >= stepsMax + TURNS_MORE ? `I thought ${calls} times without coming to an end.` : null;
    },
    usedUp: () => `I used all ${stepsMax} steps that the task may take.`,
  };
}
