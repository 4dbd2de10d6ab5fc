/*
 * Simulated browsers and agents for the stateful mock: browsers with start times, and an agent that works on tasks
 * without a browser. The command line composes them. They must not affect states, money or refusals, which come from
 * the engine.
 */

import { createHash } from 'node:crypto';
import type { Agent, AgentOutcome, AgentTask, AgentWorld } from '#agent/agent.ts';
import { giveUp, withCode } from '#agent/answer/finish.ts';
import type { OutputJudge } from '#agent/output-judge.ts';
import type { BrowserHost } from '#browsers/host.ts';
import { TabError } from '#browsers/tab/tab.ts';
import { type Clock, waitBy } from '#lib/clock.ts';
import { isTestTask, readTestTask } from '#planner/index.ts';
import { estimateUsage } from '#planner/step-summary.ts';
import { plausibleValue } from './plausible-value.ts';

/** Options of {@link createSimulatedAgent}. */
interface SimulatedAgentOptions {
  /**
   * Agent that executes test tasks and the tasks that it understands. The simulation completes a task that this agent
   * gives up.
   */
  readonly planner: Agent;
  /** Seed of the simulation: equal tasks and seeds give equal results. */
  readonly seed: number;
  /** Range of the number of steps of a task; both bounds are included. */
  readonly steps: { readonly stepsMin: number; readonly stepsMax: number };
  /** URL that is opened for a task without a URL. */
  readonly address: string;
}

/**
 * Creates an agent that completes tasks with a plausible output, which conforms to the task's schema. Only these tasks
 * fail: test tasks that specify a failure, tasks whose page cannot be opened, and tasks with a schema for which no
 * conforming value is found.
 */
export function createSimulatedAgent(options: SimulatedAgentOptions): Agent {
  return {
    async run(task, world) {
      const outcome = await options.planner.run(task, world);
      return outcome.success || isTestTask(task.goal) ? outcome : improvise(task, world, options);
    },
  };
}

/** Matches a URL in a task, without trailing punctuation. */
const addressPattern = /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/i;

async function improvise(task: AgentTask, world: AgentWorld, options: SimulatedAgentOptions): Promise<AgentOutcome> {
  const draw = drawnFrom(`${options.seed} ${task.goal}`);
  const address = addressPattern.exec(task.goal)?.[0] ?? options.address;
  const { stepsMin, stepsMax } = options.steps;
  try {
    await pretend(world, { address, steps: stepsMin + Math.floor(draw() * (stepsMax - stepsMin + 1)) });
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof TabError) return giveUp(task, error.message, []);
    throw error;
  }
  return createOutcome(task, { address, draw, judge: world.judge });
}

async function pretend(world: AgentWorld, { address, steps }: { address: string; steps: number }): Promise<void> {
  const tab = await world.tab();
  await tab.open(address);
  const [url, title] = [await tab.url(), await tab.title()];
  const summaries = [
    `Opened ${address}`,
    `Read ${title}`,
    ...Array.from({ length: steps }, () => `Looked at ${title}`),
  ];
  for (const [index, summary] of summaries.slice(0, steps).entries()) {
    const action = { kind: index === 0 ? 'open' : 'read', url };
    await world.step({ summary, action, url, usage: estimateUsage(title, summary) });
  }
}

/** Returns the outcome in the requested form; a failure only when no value conforms to the schema. */
async function createOutcome(
  task: AgentTask,
  { address, draw, judge }: { address: string; draw: () => number; judge: OutputJudge },
): Promise<AgentOutcome> {
  const text = `Done: ${task.goal.replaceAll(/\s+/g, ' ').trim().slice(0, 200)}`;
  const actions = [{ kind: 'open', url: address }] as const;
  if (task.outputSchema === null)
    return { success: true, output: task.codeMode ? withCode(text, actions, { text }) : text };
  const answer = plausibleValue(task.outputSchema, draw);
  const conformed = await judge.conform(task.outputSchema, { answer, facts: null, unknown: 'smallest' });
  if (!conformed.ok)
    return giveUp(task, `I could not give the output that was asked for: ${conformed.reason}.`, actions);
  return { success: true, output: task.codeMode ? withCode(text, actions, conformed.output) : conformed.output };
}

/** Returns a generator of numbers from 0 to 1, 1 excluded, with a text as seed. */
function drawnFrom(text: string): () => number {
  let drawn = 0;
  return () => {
    const digest = createHash('sha256').update(`${drawn} ${text}`).digest();
    drawn += 1;
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

/**
 * Wraps an agent so that each step takes `stepMs` milliseconds by the clock. The test task `slow` keeps its own
 * duration.
 */
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

/** Wraps a host so that each browser start takes `startMs` milliseconds by the clock. */
export function pacedHost(host: BrowserHost, clock: Clock, startMs: number): BrowserHost {
  const closing = new AbortController();
  return {
    ...host,
    async launch(wanted) {
      const { signal = closing.signal } = wanted;
      await waitBy(clock, startMs, AbortSignal.any([signal, closing.signal]));
      return host.launch(wanted);
    },
    async close() {
      closing.abort(new Error('This browser host is closed.'));
      await host.close();
    },
  };
}
