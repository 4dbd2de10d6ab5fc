import { AgentCrash, type AgentOutcome, type AgentTask, type AgentWorld, type StepUsage } from '#agent/agent.ts';
import { giveUp, withCode } from '#agent/answer/finish.ts';
import type { OutputJudge } from '#agent/output-judge.ts';
import { testTasks } from '#generated/rules.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { estimateUsage } from './step-summary.ts';

/** Result of a test task, before it is converted to the output format that the task requests. */
export interface TestResult {
  readonly success: boolean;
  /** Free text: what was read or why the task failed. */
  readonly text: string;
  /** Output of a successful task that has no output schema. @defaultValue `text` */
  readonly data?: JsonObject;
  /** Whether the session then times out at once, as if it had not been used for long. @defaultValue false */
  readonly isAbandoned?: boolean;
}

/** Name of a row of spec/rules/test-tasks.yaml. */
export type TestTaskName = (typeof testTasks.tasks)[number]['name'];

/** Implementation of one test task. `parameter` is the text after the name in the goal, trimmed. */
export type TestCourse = (world: AgentWorld, parameter: string) => Promise<TestResult>;

const { numbers } = testTasks;

/** Token usage of a step that is so high that a few steps exceed any cost limit of a test. */
const hugeUsage: StepUsage = { inputTokens: numbers.ceilingTokens, outputTokens: numbers.ceilingTokens };

const succeed =
  (name: string): TestCourse =>
  async (world) => ({ success: true, text: await visit(world, name) });

/** Implementations of the test tasks by name; spec/rules/test-tasks.yaml describes them. */
export const testCourses: Readonly<Record<TestTaskName, TestCourse>> = {
  succeed: succeed('succeed'),
  // Requests with these goals are refused before a task exists. A task that is created nevertheless succeeds.
  'rate-limited': succeed('rate-limited'),
  'server-error': succeed('server-error'),
  fail: async (world) => {
    await visit(world, 'fail');
    return { success: false, text: 'This test task fails on purpose.' };
  },
  slow: runSlow,
  'exceed-ceiling': async (world) => {
    for (let step = 1; step <= numbers.ceilingSteps; step += 1) await visit(world, `exceed-ceiling ${step}`, hugeUsage);
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

/** Opens a page with this title in the real tab, reads the title and records the step. Returns the title. */
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

/** Returns the URL of the page that a test task opens. */
function pageAddress(title: string): string {
  return `data:text/html,${encodeURIComponent(`<!doctype html><title>${title}</title><h1>Page of ${title}</h1>`)}`;
}

/** A parsed test task. */
export interface ReadTestTask {
  /** Name of the test task; null for an unknown one. */
  readonly name: TestTaskName | null;
  /** Name of the test task as written in the goal. */
  readonly word: string;
  /** Trimmed text after the name. */
  readonly parameter: string;
}

const prefixPattern = /^svc-test:/i;

/** Parses a goal of the form `svc-test: <name> <parameter> #<word>`. Returns null for any other goal. */
export function readTestTask(goal: string): ReadTestTask | null {
  const trimmed = goal.trim();
  if (!prefixPattern.test(trimmed)) return null;
  const rest = trimmed.replace(prefixPattern, '').trimStart();
  const [word = ''] = /^[a-z-]*/i.exec(rest) ?? [];
  const behind = rest.slice(word.length).trim();
  // A word after `#` distinguishes goals and has no meaning.
  const mark = behind.lastIndexOf('#');
  const parameter = mark >= 0 && /^\w*$/.test(behind.slice(mark + 1)) ? behind.slice(0, mark).trim() : behind;
  return { name: isName(word) ? word : null, word, parameter };
}

function isName(word: string): word is TestTaskName {
  return Object.hasOwn(testCourses, word);
}

/** Runs the test task that a goal names. Returns null if the goal names none, and a failure if its name is unknown. */
export async function runTestTask(task: AgentTask, world: AgentWorld): Promise<AgentOutcome | null> {
  const read = readTestTask(task.goal);
  if (read === null) return null;
  const { name, word, parameter } = read;
  if (name !== null) return shape(task, await testCourses[name](world, parameter), world.judge);
  const names = testTasks.tasks.map((row) => row.name).join(', ');
  return giveUp(task, `There is no test task "${word}". There are: ${names}.`, []);
}

/**
 * Converts the result of a test task to the requested form: free text, data that conform to the output schema, or the
 * object of code mode with a program. Returns a failure if no data conform to the schema.
 */
async function shape(
  task: AgentTask,
  { success, text, data, isAbandoned = false }: TestResult,
  judge: OutputJudge,
): Promise<AgentOutcome> {
  const actions = [{ kind: 'open', url: pageAddress(text) } as const];
  if (!success) return giveUp(task, text, actions);
  const output = task.outputSchema === null ? (data ?? text) : await outputFor(task.outputSchema, text, judge);
  if (output === null) return giveUp(task, 'I could not give the output that was asked for.', actions);
  const shaped = task.codeMode ? withCode(text, actions, output) : output;
  return { success: true, output: shaped, ...(isAbandoned ? { isAbandoned } : {}) };
}

async function outputFor(schema: JsonObject, text: string, judge: OutputJudge): Promise<JsonValue> {
  const headings = [`Page of ${text}`];
  const facts = { title: text, headings, links: [], tables: [], text: headings.join(' ') };
  const conformed = await judge.conform(schema, { answer: text, facts, unknown: 'smallest' });
  return conformed.ok ? conformed.output : null;
}
