import type { Agent } from '#agent/agent.ts';

/** Options of an agent with a fixed number of steps. */
export interface Stepping {
  readonly steps: number;
  /**
   * Called after each step with the goal of the run and the duration of the step in milliseconds. @defaultValue not
   * called
   */
  readonly onStep?: (goal: string, ms: number) => void;
}

/**
 * Creates an agent that makes one model call per step and records the step. The duration of a step without its model
 * call is thus the cost of the service.
 */
export function createSteppingAgent({ steps, onStep = () => undefined }: Stepping): Agent {
  return {
    async run({ goal }, world) {
      if (world.model === null) throw new Error('the bench needs a model');
      for (let step = 0; step < steps; step += 1) {
        const begun = performance.now();
        await world.model.call({
          system: goal,
          messages: [],
          tools: [],
          toolChoice: 'none',
          outputSchema: null,
          maxOutputTokens: 1000,
        });
        const shown = { summary: `Step ${step}`, action: { kind: 'bench' }, url: 'about:blank' };
        await world.step({ ...shown, usage: { inputTokens: 0, outputTokens: 0 } });
        onStep(goal, performance.now() - begun);
      }
      return { success: true, output: 'done' };
    },
  };
}
