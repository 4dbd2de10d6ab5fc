import { testTasks } from '#generated/rules.ts';
import type { JsonObject } from '#lib/json.ts';
import { AgentCrash, type AgentWorld, type StepUsage } from '#agent/agent.ts';
import { estimateUsage } from './estimate-usage.ts';

/** How a test task ended, before it takes the shape that the request asks for. */
export interface TestResult {
  readonly success: boolean;
  /** Free text: what was read or why it failed. */
  readonly text: string;
  /** What a program would have read, for a task that succeeds with data. */
  readonly data?: JsonObject;
  /** Whether nobody is to have used the session since. @defaultValue false */
  readonly isAbandoned?: boolean;
}

/** Name of a row of spec/rules/test-tasks.yaml. */
export type TestTaskName = (typeof testTasks.tasks)[number]['name'];

/** Runs one kind of test task; `parameter` is the trimmed rest of the goal. */
export type TestCourse = (world: AgentWorld, parameter: string) => Promise<TestResult>;

const { numbers } = testTasks;

/** So much that a few steps exceed any ceiling that a test would set. */
const HUGE_USAGE: StepUsage = { inputTokens: numbers.ceilingTokens, outputTokens: numbers.ceilingTokens };

const succeed =
  (name: string): TestCourse =>
  async (world) => ({ success: true, text: await visit(world, name) });

/** What happens in each test task of spec/rules/test-tasks.yaml, whose descriptions stand there. */
export const TEST_COURSES: Readonly<Record<TestTaskName, TestCourse>> = {
  succeed: succeed('succeed'),
  // Its requests are refused before there is a task; what gets through succeeds.
  'rate-limited': succeed('rate-limited'),
  'server-error': succeed('server-error'),
  fail: async (world) => {
    await visit(world, 'fail');
    return { success: false, text: 'This test task fails on purpose.' };
  },
  slow: runSlow,
  'exceed-ceiling': async (world) => {
    for (let step = 1; step <= numbers.ceilingSteps; step += 1)
      await visit(world, `exceed-ceiling ${step}`, HUGE_USAGE);
    return { success: false, text: `No ceiling stopped this test task within ${numbers.ceilingSteps} steps.` };
  },
  crash: async (world) => {
    await visit(world, 'crash');
    throw new AgentCrash('This test task crashes on purpose.');
  },
  'time-out': async (world) => ({ success: true, text: await visit(world, 'time-out'), isAbandoned: true }),
  structured: runStructured,
};

async function runSlow(world: AgentWorld, parameter: string): Promise<TestResult> {
  const seconds = parameter === '' ? numbers.slowSeconds : Number(parameter);
  if (!(seconds >= 1 && seconds <= numbers.slowSecondsMax)) {
    return { success: false, text: `"${parameter}" is not a number of seconds from 1 to ${numbers.slowSecondsMax}.` };
  }
  for (let step = 1; step <= numbers.slowSteps; step += 1) {
    await visit(world, `slow ${step} of ${numbers.slowSteps}`);
    await world.wait((seconds * 1_000) / numbers.slowSteps);
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
  const tab = await world.tab();
  await tab.open(address);
  const read = { title: await tab.title(), url: await tab.url() };
  const action: JsonObject = { kind: 'open', url: address };
  const counted = usage ?? estimateUsage(read.title, JSON.stringify(action));
  await world.step({ summary: `Opened a test page - ${read.title}`, action, url: read.url, usage: counted });
  return read.title;
}

/** Address of the page that a test task opens. */
export function pageAddress(title: string): string {
  return `data:text/html,${encodeURIComponent(`<!doctype html><title>${title}</title><h1>Page of ${title}</h1>`)}`;
}
