import type { Agent } from '../../src/agent/agent.ts';

/** What an agent of a fixed number of steps does and tells. */
export interface Stepping {
  readonly steps: number;
  /** Told after each step how long it took in all, in milliseconds. @defaultValue nobody is told */
  readonly onStep?: (goal: string, ms: number) => void;
}

/** Asks the model once for each step and books it: nothing else, so that what a step costs is what the service adds. */
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
