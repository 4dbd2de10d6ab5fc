import type { JsonObject } from '#domain/json.ts';
import { AgentCrash, type AgentWorld, type StepUsage } from '../agent.ts';
import { abortable } from './abortable.ts';
import { estimateUsage } from './estimate-usage.ts';

/** How a test task ended, before it takes the shape that the request asks for. */
export interface TestResult {
  readonly success: boolean;
  /** Free text: what was read or why it failed. */
  readonly text: string;
  /** What a program would have read, for a task that succeeds with data. */
  readonly data?: JsonObject;
}

/** A goal with a known course, for partners who test a client and for a suite that tests a deployment. */
export interface TestTask {
  /** The goal is `svc-test: <name>`, for some with a parameter after it. */
  readonly name: string;
  /** One line for people: what happens and what the parameter means. */
  readonly description: string;
  /** Runs it; `parameter` is the trimmed rest of the goal. */
  readonly run: (world: AgentWorld, parameter: string) => Promise<TestResult>;
}

const SLOW_SECONDS_DEFAULT = 30;
const SLOW_SECONDS_MAX = 3_600;
const SLOW_STEPS = 5;
const CEILING_STEPS_MAX = 50;

/** So much that a few steps exceed any ceiling that a test would set. */
const HUGE_USAGE: StepUsage = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

/** All test tasks. */
export const TEST_TASKS: readonly TestTask[] = [
  {
    name: 'succeed',
    description: 'Opens a small page, reads its title and succeeds with it.',
    run: async (world) => ({ success: true, text: await visit(world, 'succeed') }),
  },
  {
    name: 'fail',
    description: 'Opens a small page and then judges that the goal was not achieved.',
    run: async (world) => {
      await visit(world, 'fail');
      return { success: false, text: 'This test task fails on purpose.' };
    },
  },
  {
    name: 'slow',
    description: `Works for the given number of seconds (1-${SLOW_SECONDS_MAX}, ${SLOW_SECONDS_DEFAULT} without one) in ${SLOW_STEPS} steps, then succeeds.`,
    run: runSlow,
  },
  {
    name: 'exceed-ceiling',
    description: `Uses ${HUGE_USAGE.inputTokens} input and output tokens in each step until it is stopped, at most ${CEILING_STEPS_MAX} steps.`,
    run: async (world) => {
      for (let step = 1; step <= CEILING_STEPS_MAX; step += 1) await visit(world, `exceed-ceiling ${step}`, HUGE_USAGE);
      return { success: false, text: `No ceiling stopped this test task within ${CEILING_STEPS_MAX} steps.` };
    },
  },
  {
    name: 'crash',
    description: 'Takes one step, then the sandbox fails beyond repair.',
    run: async (world) => {
      await visit(world, 'crash');
      throw new AgentCrash('This test task crashes on purpose.');
    },
  },
  {
    name: 'structured',
    description: 'Opens a small page and succeeds with an object, or with what the output schema asks for.',
    run: runStructured,
  },
];

async function runSlow(world: AgentWorld, parameter: string): Promise<TestResult> {
  const seconds = parameter === '' ? SLOW_SECONDS_DEFAULT : Number(parameter);
  if (!(seconds >= 1 && seconds <= SLOW_SECONDS_MAX)) {
    return { success: false, text: `"${parameter}" is not a number of seconds from 1 to ${SLOW_SECONDS_MAX}.` };
  }
  for (let step = 1; step <= SLOW_STEPS; step += 1) {
    await visit(world, `slow ${step} of ${SLOW_STEPS}`);
    await abortable(world.signal, () => world.wait((seconds * 1_000) / SLOW_STEPS));
  }
  return { success: true, text: `Worked for ${seconds} s.` };
}

async function runStructured(world: AgentWorld): Promise<TestResult> {
  const title = await visit(world, 'structured');
  return { success: true, text: title, data: { title, headings: [`Page of ${title}`], count: 1, ok: true } };
}

/** Opens a page of the given title in the real tab, reads the title back and books the step. */
async function visit(world: AgentWorld, title: string, usage?: StepUsage): Promise<string> {
  const address = pageAddress(`svc-test: ${title}`);
  const read = await abortable(world.signal, async () => {
    const tab = await world.tab();
    await tab.open(address);
    return { title: await tab.title(), url: await tab.url() };
  });
  const action: JsonObject = { kind: 'open', url: address };
  const counted = usage ?? estimateUsage(read.title, JSON.stringify(action));
  await world.step({ summary: `Opened a test page - ${read.title}`, action, url: read.url, usage: counted });
  return read.title;
}

/** Address of the page that a test task opens. */
export function pageAddress(title: string): string {
  return `data:text/html,${encodeURIComponent(`<!doctype html><title>${title}</title><h1>Page of ${title}</h1>`)}`;
}
