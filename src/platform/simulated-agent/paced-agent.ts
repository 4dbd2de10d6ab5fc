import type { Agent } from '#agent/agent.ts';
import { readTestTask } from '#planner/index.ts';

/** An agent whose steps take their time, by the clock; a test task that lasts as long as it says keeps its own. */
export function pacedAgent(agent: Agent, stepMs: number): Agent {
  return {
    ...agent,
    run(task, world) {
      if (readTestTask(task.goal)?.name === 'slow') return agent.run(task, world);
      const step: typeof world.step = async (done) => {
        await world.wait(stepMs);
        await world.step(done);
      };
      return agent.run(task, { ...world, step });
    },
  };
}
