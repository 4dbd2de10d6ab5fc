import { runState } from '#generated/states.ts';
import { shownStatus } from '#contract/lifecycle.ts';
import { microsToDecimal } from '#contract/money.ts';
import type { components } from '#generated/v2.ts';
import { isJsonObject, type JsonObject, type JsonValue, storedAsText } from '#lib/json.ts';
import { packageVersion } from '#lib/package-version.ts';
import { parseJudgement, parseRunSettings } from '#sessions/run-settings.ts';
import type { StoredFile } from '#store/queries/files.ts';
import type { RunOfSession, RunRow, StepRow } from '#store/tables/runs.ts';
import type { RequestContext } from '../common/request-context.ts';

/** A task with its steps and files so far. */
export interface WholeTask extends RunOfSession {
  readonly steps: readonly StepRow[];
  readonly files: readonly StoredFile[];
}

/** Reads a task with its steps and files. */
export async function wholeTask(found: RunOfSession, { engine, workspaces }: RequestContext): Promise<WholeTask> {
  const { id } = found.run;
  return { ...found, steps: await engine.runSteps(id), files: await workspaces.filesOfRun(id) };
}

/** Version of the agent, which is the version of the service (companion 5.3). */
const serviceVersion = packageVersion();

/** Returns the suggested tasks of a run as objects (companion 5.3); null without any. */
function renderSuggestions({ suggestions }: RunRow): { task: string }[] | null {
  if (suggestions === null) return null;
  // The service writes this column from a list of texts only.
  const tasks: string[] = JSON.parse(suggestions);
  return tasks.map((task) => ({ task }));
}

/** Renders a task without its steps, as in lists (companion 5.3). */
export function renderItem(found: RunOfSession, context: RequestContext): components['schemas']['TaskItem'] {
  const { run, session } = found;
  const { id, status, output = null, finishedAt = null, isSuccess = null, cost = null } = renderState(found, context);
  return {
    id,
    sessionId: run.sessionId,
    llm: run.model ?? session.model,
    answeredBy: run.answeredBy,
    task: run.task,
    status,
    createdAt: utcTime(run.createdAt),
    startedAt: run.startedAt === null ? null : utcTime(run.startedAt),
    finishedAt,
    metadata: parseRunSettings(run).metadata ?? {},
    output,
    isSuccess,
    svcVersion: serviceVersion,
    suggestions: renderSuggestions(run),
    judgement: run.judgement,
    judgeVerdict: parseJudgement(run)?.verdict ?? null,
    cost,
  };
}

/** Renders a task with its steps (companion 5.3). */
export function renderTask(task: WholeTask, context: RequestContext): components['schemas']['Task'] {
  const steps = task.steps.map((step, index) =>
    renderStep(step, { index, before: task.steps[index - 1], task, context }),
  );
  return { ...renderItem(task, context), steps, outputFiles: task.files.map(renderFile) };
}

/** Renders the status of a task (companion 5.3). */
export function renderState(
  { run, session }: RunOfSession,
  { engine, rules }: RequestContext,
): components['schemas']['TaskState'] {
  return {
    id: run.id,
    status: shownStatus(rules, 'v2', run.status),
    output: renderOutput(run),
    finishedAt: run.endedAt === null ? null : utcTime(run.endedAt),
    isSuccess: run.success === null ? null : run.success === 1,
    cost: microsToDecimal(engine.runCosts({ run, session }).total),
  };
}

/**
 * Returns the output as text; null without an output. V2 shows structured output, and any other output that is not a
 * string, as JSON (companion 2 C21).
 */
function renderOutput(run: RunRow): string | null {
  // The database stores the JSON value null as null too.
  if (run.status === runState.succeeded && parseRunSettings(run).outputSchema !== undefined)
    return run.output ?? 'null';
  return storedAsText(run.output);
}

interface StepPlace {
  readonly index: number;
  readonly before: StepRow | undefined;
  readonly task: RunOfSession;
  readonly context: RequestContext;
}

const msPerSecond = 1000;

function renderStep(
  step: StepRow,
  { index, before, task: { run }, context }: StepPlace,
): components['schemas']['TaskStep'] {
  const since = before?.createdAt ?? run.startedAt ?? run.createdAt;
  return {
    number: index + 1,
    memory: step.summary,
    evaluationPreviousGoal: evaluation(before === undefined ? null : { number: index, summary: before.summary }),
    nextGoal: stepGoal(step),
    url: step.url,
    screenshotUrl: context.addresses.screenshot(step.screenshotKey),
    actions: [step.action],
    duration: Math.max(step.createdAt - since, 0) / msPerSecond,
  };
}

/** Returns a time in UTC, with `Z`: typed clients refuse a time without an offset. */
function utcTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Renders a file of a task (companion 5.3): its name without the folder. */
export function renderFile({ id, path }: StoredFile): components['schemas']['OutputFile'] {
  return { id, fileName: path.slice(path.lastIndexOf('/') + 1) };
}

const textMax = 200;

/**
 * Returns the goal of a step: what the model said in the step, otherwise an instruction derived from the action. The
 * goal depends on the step alone, so that every poll shows the same text.
 */
export function stepGoal({ action }: Pick<StepRow, 'action'>): string {
  const value: JsonValue = JSON.parse(action);
  if (!isJsonObject(value)) return 'Work on the task.';
  const said = value['said'];
  return typeof said === 'string' ? said : `${instruction(value)}.`;
}

/**
 * Returns a text about the previous step: its `number`, which counts from 1, and its `summary`. `before` is null for
 * the first step, which has no previous step.
 */
export function evaluation(before: { readonly number: number; readonly summary: string } | null): string {
  return before === null ? 'There is no step before this step.' : `Step ${before.number}: ${before.summary}`;
}

/**
 * Returns an instruction that describes an action of the offline planner. For an action of a model, the instruction
 * names the tool.
 */
function instruction(action: JsonObject): string {
  const { kind } = action;
  const make = typeof kind === 'string' && Object.hasOwn(instructions, kind) ? instructions[kind] : undefined;
  if (make !== undefined) return make((member) => textIn(action, member));
  return typeof kind === 'string' ? `Use the tool ${shortened(kind)}` : 'Work on the task';
}

/** Function that returns a member of an action as text; null without the member. */
type Read = (member: string) => string | null;

const quoted = (text: string | null): string => `"${text ?? ''}"`;

/** Returns a space, the words `before` and the text in quotes, as a part of an instruction; '' if the text is null. */
const part = (before: string, text: string | null): string => (text === null ? '' : ` ${before} ${quoted(text)}`);

const instructions: Readonly<Record<string, (read: Read) => string>> = {
  open: (read) => `Open ${read('url') ?? 'a page'}`,
  click: (read) => `Click ${quoted(read('name'))}`,
  type: (read) => `Type ${quoted(read('text'))} into ${quoted(read('field'))}`,
  press: (read) => `Press ${read('key') ?? 'a key'}`,
  select: (read) => `Select ${quoted(read('option'))} in ${quoted(read('field'))}`,
  check: (read) => `${read('isOn') === 'false' ? 'Clear' : 'Tick'} ${quoted(read('name'))}`,
  wait: (read) => `Wait ${read('seconds') ?? '0'} s`,
  read: (read) => `Read the ${read('what') ?? 'page'} of the page`,
  say: (read) => `Answer ${quoted(read('text'))}`,
  readFile: (read) => (read('name') === null ? 'Read the attached files' : `Read the file ${quoted(read('name'))}`),
  listFiles: (read) => (read('which') === 'attached' ? 'List the attached files' : 'List the files of the workspace'),
  writeFile: (read) => `Write the file ${quoted(read('name'))}`,
  upload: (read) => `Upload the file ${quoted(read('name'))}${part('into', read('field'))}`,
  download: (read) => `Download ${quoted(read('name'))}`,
  mailAddress: (read) => `Type the mail address of the session${part('into', read('field'))}`,
  waitForMail: (read) => `Wait for a mail${part('from', read('from'))}${part('with the subject', read('subject'))}`,
  mailLink: (read) => `Open ${read('name') === null ? 'the link' : `the link ${quoted(read('name'))}`} in the mail`,
  mailCode: (read) => `Read the code in the mail${part('and type it into', read('field'))}`,
  readMail: () => 'Read the mail',
};

function textIn(action: JsonObject, member: string): string | null {
  const value = action[member] ?? null;
  if (value === null) return null;
  return shortened(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * Replaces each run of whitespace by a space and truncates the text to 200 characters. Reads only the beginning of the
 * text.
 */
function shortened(text: string): string {
  const line = text
    .slice(0, textMax * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= textMax && text.length <= textMax * 2 ? line : `${line.slice(0, textMax - 1)}…`;
}
