import { setImmediate } from 'node:timers/promises';
import type { Agent, AgentOutcome, AgentTask, AgentWorld } from '#agent/agent.ts';

/** An agent whose tasks the test controls. */
export interface ScriptedAgent extends Agent {
  /** Running tasks by goal. */
  readonly running: Map<string, Running>;
}

/** A task that the test controls. */
export interface Running {
  readonly task: AgentTask;
  readonly world: AgentWorld;
  /** Records a step that has used `tokens` tokens. Resolves when the step is stored. */
  step(tokens?: number): Promise<void>;
  finish(outcome: AgentOutcome): void;
  fail(error: Error): void;
}

/** Creates an agent whose tasks the test controls. */
export function createScriptedAgent(): ScriptedAgent {
  const running = new Map<string, Running>();
  return {
    running,
    run(task, world) {
      // A session must not dispatch a task that has already ended, because the agent would not notice the end.
      if (world.signal.aborted) throw new Error(`the task "${task.goal}" had ended before it was begun`);
      const { promise, resolve, reject } = Promise.withResolvers<AgentOutcome>();
      world.signal.addEventListener('abort', () => reject(world.signal.reason), { once: true });
      running.set(task.goal, {
        task,
        world,
        step: (tokens = 10) =>
          world.step({
            summary: `step of ${task.goal}`,
            action: { kind: 'test' },
            url: 'about:blank',
            usage: { inputTokens: tokens, outputTokens: tokens },
          }),
        finish: resolve,
        fail: reject,
      });
      return promise.finally(() => running.delete(task.goal));
    },
  };
}

/** Waits until the agent works on a task with this goal, and returns the task. Throws after 10 s. */
export async function waitForTask(agent: ScriptedAgent, goal: string): Promise<Running> {
  const end = Date.now() + 10_000;
  for (;;) {
    const found = agent.running.get(goal);
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`no task "${goal}" was started`);
    await setImmediate();
  }
}
