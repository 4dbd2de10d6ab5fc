import { runState } from '#generated/states.ts';
import type { components } from '#generated/v4.ts';
import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { microsToDecimal } from '#contract/money.ts';
import { shownStatus } from '#contract/lifecycle.ts';
import { getTitle } from '#agent/title.ts';
import { judgementOf, runSettingsOf } from '#sessions/run-settings.ts';
import { contextLimit } from '#contract/models.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { MessageRow } from '#store/queries/queue.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import { secretBindings } from './body.ts';

type Run = components['schemas']['Run'];

/** Renders a run (contract section 2; companion 7.4). */
export function renderRun({ run, session, fileIds }: WithFiles<RunOfSession>, { engine, rules }: RequestContext): Run {
  return {
    id: run.id,
    task: run.task,
    title: run.startedAt === null ? null : (run.title ?? getTitle(run.task)),
    model: run.model ?? session.model,
    contextLimit: contextLimit(rules, 'v4', run.model ?? session.model),
    answeredBy: run.answeredBy,
    status: shownStatus(rules, 'v4', run.status),
    result: renderResult(run),
    error: run.status === runState.crashed ? run.reason : null,
    sessionId: run.sessionId,
    workspaceId: session.workspaceId,
    attachedFileIds: fileIds === null ? null : [...fileIds],
    totalInputTokens: run.inputTokens,
    totalOutputTokens: run.outputTokens,
    totalCostUsd: microsToDecimal(engine.runCosts({ run, session }).total),
    judgement: judgementOf(run) === null ? null : { ...judgementOf(run) },
    output: renderOutput(run),
    outputSchema: runSettingsOf(run).outputSchema ?? null,
    createdAt: new Date(run.createdAt).toISOString(),
    // A session may have been idle since before a queued run was created.
    updatedAt: new Date(Math.max(run.createdAt, run.endedAt ?? session.updatedAt)).toISOString(),
  };
}

/** Returns the output as JSON value, for a succeeded run with an output schema; otherwise null. */
function renderOutput(run: RunOfSession['run']): JsonValue {
  if (run.status !== runState.succeeded || runSettingsOf(run).outputSchema === undefined || run.output === null)
    return null;
  const output: JsonValue = JSON.parse(run.output);
  return output;
}

/**
 * Returns the result text: the output, or why there is no output. Null while the run is active and after a stop or
 * failure.
 */
export function renderResult(run: RunOfSession['run']): string | null {
  if (run.status !== runState.succeeded && run.status !== runState.failed) return null;
  const output: JsonValue = run.output === null ? null : JSON.parse(run.output);
  if (output === null) return run.reason;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** A run or message with the ids of its uploads; null without uploads. */
export type WithFiles<Row> = Row & { readonly fileIds: readonly string[] | null };

/** Returns a run together with the ids of its uploads. */
export async function runWithFiles(found: RunOfSession, { engine }: RequestContext): Promise<WithFiles<RunOfSession>> {
  const ids = await engine.attachedIds([found.run.id]);
  return { ...found, fileIds: ids.get(found.run.id) ?? null };
}

/** Returns runs together with the ids of their uploads, in the same order. */
export async function runsWithFiles(
  rows: readonly RunOfSession[],
  { engine }: RequestContext,
): Promise<WithFiles<RunOfSession>[]> {
  const ids = await engine.attachedIds(rows.map(({ run }) => run.id));
  return rows.map((row) => ({ ...row, fileIds: ids.get(row.run.id) ?? null }));
}

/** Returns a message together with the ids of its uploads. */
export async function messageWithFiles(
  message: MessageRow,
  { engine }: RequestContext,
): Promise<WithFiles<MessageRow>> {
  const ids = await engine.attachedIdsOfMessages([message.id]);
  return { ...message, fileIds: ids.get(message.id) ?? null };
}

/** Returns messages together with the ids of their uploads, in the same order. */
export async function messagesWithFiles(
  messages: readonly MessageRow[],
  { engine }: RequestContext,
): Promise<WithFiles<MessageRow>[]> {
  const ids = await engine.attachedIdsOfMessages(messages.map(({ id }) => id));
  return messages.map((message) => ({ ...message, fileIds: ids.get(message.id) ?? null }));
}

type CreateRun = components['schemas']['CreateRun'];

/**
 * Returns the settings of this run alone, which later runs do not inherit: secrets, output schema and judge (companion
 * 7.2).
 */
export function ownMembers(body: CreateRun): Required<Pick<FollowUp, 'secrets' | 'runSettings'>> {
  const { outputSchema, judge } = body;
  const runSettings = {
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(judge === null || judge === undefined ? {} : { judge: { context: judge.context ?? null } }),
  };
  return { secrets: secretBindings(body), runSettings };
}
