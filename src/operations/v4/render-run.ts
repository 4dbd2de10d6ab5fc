import type { components } from '#generated/v4.ts';
import type { JsonValue } from '#lib/json.ts';
import { microsToDecimal } from '#contract/money.ts';
import { shownStatus } from '#contract/run-views.ts';
import { titleOf } from '#agent/index.ts';
import { judgementOf } from '#sessions/judgement-of.ts';
import { runSettingsOf } from '#sessions/run-settings.ts';
import { limitOf } from '#contract/limits.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import type { WithFiles } from './with-files.ts';

/** The status column holds only what the tables let through; the answer is checked against its schema once more. */
type Run = Omit<components['schemas']['Run'], 'status'> & { status: string };

/** The V4 record of a run (contract section 2; companion 7.4). */
export function renderRun({ run, session, fileIds }: WithFiles<RunOfSession>, { engine, rules }: Caller): Run {
  return {
    id: run.id,
    task: run.task,
    title: run.started_at === null ? null : (run.title ?? titleOf(run.task)),
    model: run.model ?? session.model,
    contextLimit: limitOf(rules, 'contextLimit'),
    status: shownStatus(rules, 'v4', run.status),
    result: resultOf(run),
    error: run.status === 'crashed' ? run.reason : null,
    sessionId: run.session_id,
    workspaceId: session.workspace_id,
    attachedFileIds: fileIds === null ? null : [...fileIds],
    totalInputTokens: run.input_tokens,
    totalOutputTokens: run.output_tokens,
    totalCostUsd: microsToDecimal(engine.runCosts({ run, session }).total),
    judgement: judgementOf(run) === null ? null : { ...judgementOf(run) },
    output: outputOf(run),
    outputSchema: runSettingsOf(run).outputSchema ?? null,
    createdAt: new Date(run.created_at).toISOString(),
    // Its session may have been at rest since before a run that waits was made.
    updatedAt: new Date(Math.max(run.created_at, run.ended_at ?? session.updated_at)).toISOString(),
  };
}

/** The outcome as a value, for a run that was asked for one and reached its goal. */
function outputOf(run: RunOfSession['run']): JsonValue {
  if (run.status !== 'succeeded' || runSettingsOf(run).outputSchema === undefined || run.output === null) return null;
  const output: JsonValue = JSON.parse(run.output);
  return output;
}

/** The outcome in words: the output, or why there is none. Null while the run works, and when somebody or a failure ended it. */
export function resultOf(run: RunOfSession['run']): string | null {
  if (run.status !== 'succeeded' && run.status !== 'failed') return null;
  const output: JsonValue = run.output === null ? null : JSON.parse(run.output);
  if (output === null) return run.reason;
  return typeof output === 'string' ? output : JSON.stringify(output);
}
