import type { Tracer } from '#lib/tracer.ts';
import type { Agent, AgentStep } from '#agent/agent.ts';

/** The agent, with its steps drawn: each reaches from the end of the one before until it is booked, and holds the calls of models in it. */
export function tracedAgent(agent: Agent, tracer: Tracer): Agent {
  return {
    ...agent,
    run: (task, world) =>
      tracer.chain({ each: 'step', last: 'finish' }, (chain) =>
        agent.run(task, {
          ...world,
          async step(step) {
            await world.step(step);
            chain.next({ 'svc.step.action': kindOf(step) });
          },
        }),
      ),
  };
}

/** A name of a tool or of an action of the planner. */
const word = /^[A-Za-z_]{1,64}$/;

/** What was done, by the name of its tool: what it was done with is the caller's. */
function kindOf({ action }: AgentStep): string {
  const { kind } = action;
  return typeof kind === 'string' && word.test(kind) ? kind : 'other';
}
