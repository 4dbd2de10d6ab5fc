import type { components } from '#generated/v2.ts';
import type { JsonValue } from '#lib/json.ts';
import { microsToDecimal } from '#contract/money.ts';
import { shownStatus } from '#contract/lifecycle.ts';
import { judgementOf, runSettingsOf } from '#sessions/run-settings.ts';
import type { Caller } from '../common/caller.ts';
import type { StoredFile } from '#store/queries/files.ts';
import { evaluation, stepGoal } from './step-goals.ts';
import type { RunOfSession, RunRow, StepRow } from '#store/schema.ts';

/** The status column holds only what the tables let through; the answer is checked against its schema once more. */
type WithStatusText<Record> = Omit<Record, 'status'> & { status: string };

/** A task, the steps that it has done and the files that it has made so far. */
export interface WholeTask extends RunOfSession {
  readonly steps: readonly StepRow[];
  readonly files: readonly StoredFile[];
}

/** A task as it is now. */
export async function wholeTask(found: RunOfSession, { engine, workspaces }: Caller): Promise<WholeTask> {
  const { id } = found.run;
  return { ...found, steps: await engine.stepsOf(id), files: await workspaces.filesOfRun(id) };
}

/** Nothing here suggests, and no build is told (decision 16 without effect). */
const unknown = { svcVersion: null, suggestions: null };

/** The V2 record of a task without its steps, as lists show it (companion 5.3). */
export function renderItem(found: RunOfSession, caller: Caller): WithStatusText<components['schemas']['TaskItem']> {
  const { run, session } = found;
  const { id, status, output = null, finishedAt = null, isSuccess = null, cost = null } = renderState(found, caller);
  return {
    id,
    sessionId: run.session_id,
    llm: run.model ?? session.model,
    answeredBy: run.answered_by,
    task: run.task,
    status,
    createdAt: utcTime(run.created_at),
    startedAt: run.started_at === null ? null : utcTime(run.started_at),
    finishedAt,
    metadata: runSettingsOf(run).metadata ?? {},
    output,
    isSuccess,
    ...unknown,
    judgement: run.judgement,
    judgeVerdict: judgementOf(run)?.verdict ?? null,
    cost,
  };
}

/** The V2 record of a task with its steps (companion 5.3). */
export function renderTask(task: WholeTask, caller: Caller): WithStatusText<components['schemas']['Task']> {
  const steps = task.steps.map((step, index) =>
    renderStep(step, { index, before: task.steps[index - 1], task, caller }),
  );
  return { ...renderItem(task, caller), steps, outputFiles: task.files.map(renderFile) };
}

/** Where a task stands (companion 5.3). */
export function renderState(
  { run, session }: RunOfSession,
  { engine, rules }: Caller,
): WithStatusText<components['schemas']['TaskState']> {
  return {
    id: run.id,
    status: shownStatus(rules, 'v2', run.status),
    output: outputOf(run),
    finishedAt: run.ended_at === null ? null : utcTime(run.ended_at),
    isSuccess: run.success === null ? null : run.success === 1,
    cost: microsToDecimal(engine.runCosts({ run, session }).total),
  };
}

/** V2 knows text only: output that was asked for by a schema, and any other that is no text, is shown as JSON (companion 2 C21). */
function outputOf(run: RunRow): string | null {
  // The database holds null for the JSON value null as well.
  if (run.status === 'succeeded' && runSettingsOf(run).outputSchema !== undefined) return run.output ?? 'null';
  const output: JsonValue = run.output === null ? null : JSON.parse(run.output);
  return output === null || typeof output === 'string' ? output : JSON.stringify(output);
}

interface StepPlace {
  readonly index: number;
  readonly before: StepRow | undefined;
  readonly task: RunOfSession;
  readonly caller: Caller;
}

const msPerSecond = 1000;

function renderStep(
  step: StepRow,
  { index, before, task: { run }, caller }: StepPlace,
): components['schemas']['TaskStep'] {
  const since = before?.created_at ?? run.started_at ?? run.created_at;
  return {
    number: index + 1,
    memory: step.summary,
    evaluationPreviousGoal: evaluation(before === undefined ? null : { number: index, summary: before.summary }),
    nextGoal: stepGoal(step),
    url: step.url,
    screenshotUrl: caller.addresses.screenshot(step.screenshot_key),
    actions: [step.action],
    duration: Math.max(step.created_at - since, 0) / msPerSecond,
  };
}

/** Returns a time in UTC, with `Z`: typed clients refuse a time without an offset. */
function utcTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The V2 record of a file that a task made (companion 5.3): its name without the folder. */
export function renderFile({ id, path }: StoredFile): components['schemas']['OutputFile'] {
  return { id, fileName: path.slice(path.lastIndexOf('/') + 1) };
}
