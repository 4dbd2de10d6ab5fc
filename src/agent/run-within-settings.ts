import type { Agent, AgentOutcome, AgentTask, AgentWorld } from './agent.ts';
import { giveUp } from './answer/finish.ts';
import { type Around, aroundEach } from './task-scope.ts';
import { TabError } from '#browsers/tab/tab.ts';

/** Thrown when the steps of a task are used up; later actions have no effect. */
class StepLimit extends Error {
  override readonly name = 'StepLimit';

  constructor() {
    super('the steps of the task are used up');
  }
}

/**
 * Opens the start page of a task, then runs the agent with at most the allowed number of steps. Returns a failure
 * without running the agent if the page does not open. Also returns a failure if the agent tries to act after its last
 * allowed step.
 */
export async function runWithinSettings(agent: Agent, task: AgentTask, world: AgentWorld): Promise<AgentOutcome> {
  const { startUrl, maxSteps } = task.settings ?? {};
  const failure = startUrl === undefined ? null : await openStart(world, startUrl);
  if (failure !== null) return giveUp(task, failure, []);
  return maxSteps === undefined ? agent.run(task, world) : runBounded(agent, task, { world, maxSteps });
}

/** Opens the start page; returns null, or the reason of a failure. */
async function openStart(world: AgentWorld, startUrl: string): Promise<string | null> {
  try {
    await (await world.tab()).open(startUrl);
    return null;
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof TabError) return error.message;
    throw error;
  }
}

interface Bounds {
  readonly world: AgentWorld;
  readonly maxSteps: number;
}

async function runBounded(agent: Agent, task: AgentTask, { world, maxSteps }: Bounds): Promise<AgentOutcome> {
  const ending = new AbortController();
  try {
    const outcome = await agent.run(task, boundedWorld({ world, maxSteps }, ending));
    // The task also fails if the agent has ignored the rejection.
    ending.signal.throwIfAborted();
    return outcome;
  } catch (error) {
    world.signal.throwIfAborted();
    if (!ending.signal.aborted) throw error;
    return giveUp(task, `I used all ${maxSteps} steps that the task may take.`, []);
  }
}

/**
 * Methods of a tab (and of its `elements`, `tabs` and `dialogs`) that stay available after the last step, so that the
 * agent can observe the result of this step. None of them changes a page.
 */
const looks: ReadonlySet<string> = new Set(['snapshot', 'list', 'seen', 'describe', 'screenshot']);

/**
 * Creates a world that rejects every action after the last step. The methods {@link looks}, the model, the judge and
 * `unlimited` stay available.
 */
function boundedWorld({ world, maxSteps }: Bounds, ending: AbortController): AgentWorld {
  let steps = 0;
  const check = (): void => {
    if (steps >= maxSteps) ending.abort(new StepLimit());
    ending.signal.throwIfAborted();
  };
  const checked: Around = async (_method, call) => {
    check();
    return call();
  };
  return {
    signal: AbortSignal.any([world.signal, ending.signal]),
    tab: async () =>
      aroundEach(await world.tab(), (method, call) => (looks.has(method) ? call() : checked(method, call))),
    files: aroundEach(world.files, checked),
    // The model stays available: an agent ends with one more call after its last step.
    model: world.model,
    mailbox: world.mailbox === null ? null : aroundEach(world.mailbox, checked),
    ...(world.services === undefined ? {} : { services: aroundEach(world.services, checked) }),
    judge: world.judge,
    async step(step) {
      check();
      await world.step(step);
      steps += 1;
    },
    async wait(ms) {
      check();
      await world.wait(ms);
    },
    unlimited: world,
  };
}
