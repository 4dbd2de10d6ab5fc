/*
 * What stands in for browsers and agents where a service is only to look like one: browsers that take their time and are simulated, and an
 * agent that reaches whatever goal it is given. Called by the command line for the stateful mock. Must not decide anything that a client
 * could hold against a real service: states, money and refusals come from the engine.
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

/** How an agent works that reaches every goal. */
interface StandInOptions {
  /** Does what it understands, and the test tasks; what it gives up is made up. */
  readonly planner: Agent;
  /** The same goal is worked on in the same way for the same seed. */
  readonly seed: number;
  /** Steps of a goal, both included. */
  readonly steps: { readonly stepsMin: number; readonly stepsMax: number };
  /** Opened for a goal that names no address. */
  readonly address: string;
}

/** An agent that reaches every goal but the test tasks that say otherwise, with an output that looks like one and fits its schema. */
export function createSimulatedAgent(options: StandInOptions): Agent {
  return {
    async run(task, world) {
      const outcome = await options.planner.run(task, world);
      return outcome.success || isTestTask(task.goal) ? outcome : improvise(task, world, options);
    },
  };
}

/** An address in a goal, up to what ends a sentence. */
const ADDRESS = /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/i;

async function improvise(task: AgentTask, world: AgentWorld, options: StandInOptions): Promise<AgentOutcome> {
  const draw = drawnFrom(`${options.seed} ${task.goal}`);
  const address = ADDRESS.exec(task.goal)?.[0] ?? options.address;
  const { stepsMin, stepsMax } = options.steps;
  try {
    await pretend(world, { address, steps: stepsMin + Math.floor(draw() * (stepsMax - stepsMin + 1)) });
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof TabError) return giveUp(task, error.message, []);
    throw error;
  }
  return outcomeOf(task, { address, draw, judge: world.judge });
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

/** The outcome in the shape that the request asks for; given up only where nothing conforms to the schema. */
async function outcomeOf(
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

/** Numbers from 0 to 1, 1 excluded, that a text decides: the same text gives the same row. */
function drawnFrom(text: string): () => number {
  let drawn = 0;
  return () => {
    const digest = createHash('sha256').update(`${drawn} ${text}`).digest();
    drawn += 1;
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

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

/** A host whose browsers take their time to start, by the clock. */
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
