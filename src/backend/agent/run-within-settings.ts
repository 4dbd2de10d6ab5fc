import type { Agent, AgentOutcome, AgentTask, AgentWorld } from './agent.ts';
import { abortable } from './planner/abortable.ts';
import { giveUp } from './planner/finish.ts';
import type { AgentFiles } from './files.ts';
import type { Mailbox } from './mailbox.ts';
import type { ModelDoor } from './model/model-call.ts';
import { type Tab, TabError } from './tab.ts';

/** The steps of a task are used up; what it does further is not done any more. */
class StepLimit extends Error {
  override readonly name = 'StepLimit';

  constructor() {
    super('the steps of the task are used up');
  }
}

/** Lets an agent work on a task within the task's settings: begins on the page that is asked for, and ends it after its last step. */
export async function runWithinSettings(agent: Agent, task: AgentTask, world: AgentWorld): Promise<AgentOutcome> {
  const { startUrl, maxSteps } = task.settings ?? {};
  const failure = startUrl === undefined ? null : await openStart(world, startUrl);
  if (failure !== null) return giveUp(task, failure, []);
  return maxSteps === undefined ? agent.run(task, world) : runBounded(agent, task, { world, maxSteps });
}

/** Null when the page is open, else why it is not. */
async function openStart(world: AgentWorld, startUrl: string): Promise<string | null> {
  try {
    await abortable(world.signal, async () => (await world.tab()).open(startUrl));
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
    // Also for an agent that goes on as if nothing had been refused.
    ending.signal.throwIfAborted();
    return outcome;
  } catch (error) {
    world.signal.throwIfAborted();
    if (!ending.signal.aborted) throw error;
    return giveUp(task, `I used all ${maxSteps} steps that the task may take.`, []);
  }
}

/** After its last step the agent can only end: whatever else it tries is refused before it has an effect. */
function boundedWorld({ world, maxSteps }: Bounds, ending: AbortController): AgentWorld {
  let steps = 0;
  const check = (): void => {
    if (steps >= maxSteps) ending.abort(new StepLimit());
    ending.signal.throwIfAborted();
  };
  return {
    signal: AbortSignal.any([world.signal, ending.signal]),
    async tab() {
      check();
      return checkedTab(await world.tab(), check);
    },
    files: checkedFiles(world.files, check),
    model: world.model === null ? null : checkedModel(world.model, check),
    mailbox: world.mailbox === null ? null : checkedMailbox(world.mailbox, check),
    async step(step) {
      check();
      await world.step(step);
      steps += 1;
    },
    async wait(ms) {
      check();
      await world.wait(ms);
    },
  };
}

function checkedMailbox(mailbox: Mailbox, check: () => void): Mailbox {
  const checked = checkedBy(check);
  return {
    address: mailbox.address,
    list: () => checked(() => mailbox.list()),
    wait: (wish, signal) => checked(() => mailbox.wait(wish, signal)),
    read: (number) => checked(() => mailbox.read(number)),
  };
}

type Checked = <T>(act: () => Promise<T>) => Promise<T>;

function checkedBy(check: () => void): Checked {
  return async (act) => {
    check();
    return act();
  };
}

function checkedModel(model: ModelDoor, check: () => void): ModelDoor {
  return { ...model, call: (request) => checkedBy(check)(() => model.call(request)) };
}

function checkedFiles(files: AgentFiles, check: () => void): AgentFiles {
  const checked = checkedBy(check);
  return {
    list: () => checked(() => files.list()),
    attached: () => checked(() => files.attached()),
    downloads: () => checked(() => files.downloads()),
    read: (name) => checked(() => files.read(name)),
    readText: (name) => checked(() => files.readText(name)),
    write: (path, text) => checked(() => files.write(path, text)),
  };
}

function checkedTab(tab: Tab, check: () => void): Tab {
  const checked = checkedBy(check);
  return {
    open: (url) => checked(() => tab.open(url)),
    url: () => checked(() => tab.url()),
    title: () => checked(() => tab.title()),
    headings: () => checked(() => tab.headings()),
    links: () => checked(() => tab.links()),
    tables: () => checked(() => tab.tables()),
    text: () => checked(() => tab.text()),
    click: (name) => checked(() => tab.click(name)),
    type: (field, text) => checked(() => tab.type(field, text)),
    press: (key) => checked(() => tab.press(key)),
    upload: (field, file) => checked(() => tab.upload(field, file)),
    download: (name) => checked(() => tab.download(name)),
  };
}
