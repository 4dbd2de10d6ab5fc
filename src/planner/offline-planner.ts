import type { Agent, AgentOutcome, AgentTask, AgentWorld } from '#agent/agent.ts';
import { FileError } from '#agent/files.ts';
import { MailError } from '#agent/mailbox.ts';
import { type Tab, TabError } from '#browsers/tab/tab.ts';
import { type Facts, factText, readFact } from '#agent/answer/facts.ts';
import { finish, giveUp, withCode } from '#agent/answer/finish.ts';
import { type Followed, followDirectives } from './follow/follow-directives.ts';
import type { Directive } from './instructions/directive.ts';
import { parseInstructions } from './instructions/parse-instructions.ts';
import { parseGoal } from './parse-goal.ts';
import { plannerPhrases } from './phrases.ts';
import {
  type Action,
  type PerformedAction,
  type Plan,
  type Reading,
  isFileAction,
  isMailAction,
  unreachable,
} from '#agent/answer/plan.ts';
import { runTestTask } from './test-tasks.ts';
import type { OutputJudge } from '#agent/output-judge.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Done, estimateUsage, shortened } from './step-summary.ts';
import { actOnMail, actOnFiles } from './act-on-files-and-mail.ts';

/** Options of the planner. */
export interface OfflinePlannerOptions {
  /** Whether goals such as `svc-test: fail` run a test task. If false, such a goal is treated like any other goal. */
  readonly testTasks: boolean;
}

/**
 * Creates an agent without a model, which is deterministic, free and offline. It follows plain instructions (see
 * `plannerPhrases` and `directiveRules`) with the real tab. For any other goal, the task fails with a reason. Rejects
 * with the signal's reason once the task is aborted.
 */
export function createOfflinePlanner({ testTasks }: OfflinePlannerOptions): Agent {
  return {
    async run(task, world) {
      world.signal.throwIfAborted();
      const outcome = testTasks ? await runTestTask(task, world) : null;
      return outcome ?? runGoal(task, world);
    },
  };
}

async function runGoal(task: AgentTask, world: AgentWorld): Promise<AgentOutcome> {
  const plan = parseGoal(task.goal);
  const instructions = isPlain(plan, task.goal) ? null : parseInstructions(task.goal);
  if (instructions?.kind === 'understood') return runDirectives(task, world, instructions.directives);
  if (plan.kind === 'unclear') return giveUp(task, unclear(instructions?.part ?? plan.part), []);
  const facts: Facts = {};
  const done: Action[] = [];
  try {
    for (const action of [...plan.actions, ...readingsForSchema(task, plan.actions)]) {
      await perform(action, world, facts);
      done.push(action);
    }
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof TabError || error instanceof FileError || error instanceof MailError)
      return giveUp(task, error.message, done);
    throw error;
  }
  return finish(task, { actions: plan.actions, facts }, world.judge);
}

/**
 * Returns whether the actions of `parseGoal` can be executed. False if the goal was not understood, or if a download
 * has a description such as "the report of May" without quotation marks.
 */
function isPlain(plan: Plan, goal: string): boolean {
  if (plan.kind === 'unclear') return false;
  return plan.actions.every(
    (action) =>
      action.kind !== 'download' ||
      !/\s(?:for|of|from|as)\s/.test(action.name) ||
      goal.includes(`'${action.name}'`) ||
      goal.includes(`"${action.name}"`),
  );
}

async function runDirectives(
  task: AgentTask,
  world: AgentWorld,
  directives: readonly Directive[],
): Promise<AgentOutcome> {
  const done: PerformedAction[] = [];
  try {
    const followed = await followDirectives({ directives, schema: task.outputSchema, done }, world);
    return await finishFollowed(task, followed, world.judge);
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof TabError || error instanceof FileError) return giveUp(task, error.message, done);
    throw error;
  }
}

/**
 * Returns actions for a task with an output schema that read the facts of the page which no given action reads. A
 * schema may require more facts than the goal names. Empty without a schema, or if no action uses the tab.
 */
function readingsForSchema(task: AgentTask, actions: readonly Action[]): Action[] {
  const usesTab = actions.some(needsTab);
  if (task.outputSchema === null || !usesTab) return [];
  const wanted: readonly Reading[] = ['title', 'headings', 'links', 'tables', 'text'];
  const read = new Set(actions.flatMap((action) => (action.kind === 'read' ? [action.what] : [])));
  return wanted.filter((what) => !read.has(what)).map((what) => ({ kind: 'read', what }));
}

function unclear(part: string): string {
  const examples = plannerPhrases.map(({ examples: [first = ''] }) => `"${first}"`).join(', ');
  return `I did not understand "${part}". Without a model I understand plain instructions only: ${examples}, joined by "and", "then", commas or full stops.`;
}

/** Maximum number of characters of the page's message that the answer of a task quotes. */
const saidMax = 200;

/**
 * Returns the outcome of a task whose directives are completed. It is a failure when the output violates the schema of
 * the task.
 */
async function finishFollowed(task: AgentTask, followed: Followed, judge: OutputJudge): Promise<AgentOutcome> {
  const { output, done } = followed;
  const text = getText(followed);
  const judged = task.outputSchema === null ? null : await judge.check(task.outputSchema, output);
  if (judged?.ok === false)
    return giveUp(task, `I could not give the output that was asked for: ${judged.errors[0] ?? ''}.`, done);
  if (task.codeMode) return { success: true, output: withCode(text, done, output) };
  return { success: true, output: output ?? text };
}

function getText({ answers, said, title, url }: Followed): string {
  if (answers.length > 0) return answers.join('\n');
  const told = said === null ? '' : ` ${said.slice(0, saidMax)}`;
  return `Done.${told} (${title}, ${url})`;
}

/**
 * Executes an action and then records it as a step. Rejects with a TabError, FileError or MailError for a failure of
 * the page, of a file or of the mailbox.
 */
async function perform(action: Action, world: AgentWorld, facts: Facts): Promise<void> {
  const { summary, observed } = await act(action, world, facts);
  const onPage = needsTab(action);
  const url = onPage ? await (await world.tab()).url() : (facts.url ?? 'about:blank');
  if (onPage) facts.url = url;
  const data: JsonObject = { ...action };
  await world.step({ summary, action: data, url, usage: estimateUsage(observed, JSON.stringify(action)) });
}

/** Actions that need no page. */
const offPage: readonly Action['kind'][] = [
  'say',
  'wait',
  'readFile',
  'listFiles',
  'writeFile',
  'waitForMail',
  'readMail',
];

/** Returns whether an action needs a page. */
function needsTab(action: Action): boolean {
  return !(offPage.includes(action.kind) || (action.kind === 'mailCode' && action.field === null));
}

async function act(action: Action, world: AgentWorld, facts: Facts): Promise<Done> {
  if (isFileAction(action)) return actOnFiles(action, world, facts);
  if (isMailAction(action)) return actOnMail(action, world, facts);
  switch (action.kind) {
    case 'say':
      return { summary: `Answered: ${shortened(action.text)}`, observed: '' };
    case 'wait':
      await world.wait(action.seconds * 1_000);
      return { summary: `Waited ${action.seconds} s`, observed: '' };
    case 'read': {
      await readFact(await world.tab(), action.what, facts);
      const observed = factText(action.what, facts);
      facts.latest = observed;
      return { summary: `Read the ${action.what}: ${shortened(observed)}`, observed };
    }
    case 'open':
    case 'click':
    case 'type':
    case 'press':
      return actOnPage(action, await world.tab(), facts);
    default:
      return unreachable(action);
  }
}

type PageAction = Extract<Action, { kind: 'open' | 'click' | 'type' | 'press' }>;

async function actOnPage(action: PageAction, tab: Tab, facts: Facts): Promise<Done> {
  const done = await onTab(action, tab);
  const title = await tab.title();
  // A title that was read earlier belongs to the previous page.
  facts.title = title;
  return { summary: title === '' ? done : `${done} - ${shortened(title)}`, observed: title };
}

async function onTab(action: PageAction, tab: Tab): Promise<string> {
  switch (action.kind) {
    case 'open':
      await tab.open(action.url);
      return `Opened ${shortened(action.url)}`;
    case 'click':
      await tab.click(action.name);
      return `Clicked "${shortened(action.name)}"`;
    case 'type':
      await tab.type(action.field, action.text);
      return `Typed "${shortened(action.text)}" into "${shortened(action.field)}"`;
    case 'press':
      await tab.press(action.key);
      return `Pressed ${action.key}`;
    default:
      return unreachable(action);
  }
}
