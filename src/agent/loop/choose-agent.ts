import type { Agent } from '../agent.ts';

/** The agents that there are. */
export interface Agents {
  readonly planner: Agent;
  readonly modelAgent: Agent;
  /** Whether a goal is one of the test tasks, which the planner runs in any case. */
  readonly isTestTask: (goal: string) => boolean;
}

/** An agent that lets a model work where there is one, and else the offline planner. */
export function chooseAgent({ planner, modelAgent, isTestTask }: Agents): Agent {
  return {
    spares: isTestTask,
    run: (task, world) => (world.model === null || isTestTask(task.goal) ? planner : modelAgent).run(task, world),
  };
}
