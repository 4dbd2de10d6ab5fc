import { runState, browserStatus } from '#generated/states.ts';
import type { components } from '#generated/v4.ts';
import { type JsonValue, isJsonObject, storedAsText } from '#lib/json.ts';
import { microsToDecimal, bytesToMegabytes } from '#contract/money.ts';
import { shownStatus } from '#contract/lifecycle.ts';
import { getTitle } from '#agent/title.ts';
import { parseJudgement, parseRunSettings } from '#sessions/run-settings.ts';
import { contextLimit } from '#contract/models.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { MessageRow } from '#store/queries/queue.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import { secretBindings } from './body.ts';
import { getLimit } from '#contract/rule-book.ts';
import { recordingAddresses } from '../common/addresses.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import type { RecordingRow } from '#store/queries/recordings.ts';
import type { SessionRow } from '#store/tables/sessions.ts';

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
    judgement: parseJudgement(run) === null ? null : { ...parseJudgement(run) },
    output: renderOutput(run),
    outputSchema: parseRunSettings(run).outputSchema ?? null,
    createdAt: new Date(run.createdAt).toISOString(),
    // A session may have been idle since before a queued run was created.
    updatedAt: new Date(Math.max(run.createdAt, run.endedAt ?? session.updatedAt)).toISOString(),
  };
}

/** Returns the output as a JSON value, for a succeeded run with an output schema; otherwise null. */
function renderOutput(run: RunOfSession['run']): JsonValue {
  if (run.status !== runState.succeeded || parseRunSettings(run).outputSchema === undefined || run.output === null)
    return null;
  const output: JsonValue = JSON.parse(run.output);
  return output;
}

/**
 * Returns the result text of a succeeded or failed run: the output, or the reason why it has no output. Null for any
 * other run: active, cancelled or crashed.
 */
export function renderResult(run: RunOfSession['run']): string | null {
  if (run.status !== runState.succeeded && run.status !== runState.failed) return null;
  return storedAsText(run.output) ?? run.reason;
}

/** A run or message with the ids of its uploads; `fileIds` is null without uploads. */
export type WithFiles<Row> = Row & { readonly fileIds: readonly string[] | null };

/** Returns a run together with the ids of its uploads. */
export async function runWithFiles(found: RunOfSession, { engine }: RequestContext): Promise<WithFiles<RunOfSession>> {
  const ids = await engine.runUploadIds([found.run.id]);
  return { ...found, fileIds: ids.get(found.run.id) ?? null };
}

/** Returns runs together with the ids of their uploads, in the same order. */
export async function runsWithFiles(
  rows: readonly RunOfSession[],
  { engine }: RequestContext,
): Promise<WithFiles<RunOfSession>[]> {
  const ids = await engine.runUploadIds(rows.map(({ run }) => run.id));
  return rows.map((row) => ({ ...row, fileIds: ids.get(row.run.id) ?? null }));
}

/** Returns a message together with the ids of its uploads. */
export async function messageWithFiles(
  message: MessageRow,
  { engine }: RequestContext,
): Promise<WithFiles<MessageRow>> {
  const ids = await engine.messageUploadIds([message.id]);
  return { ...message, fileIds: ids.get(message.id) ?? null };
}

/** Returns messages together with the ids of their uploads, in the same order. */
export async function messagesWithFiles(
  messages: readonly MessageRow[],
  { engine }: RequestContext,
): Promise<WithFiles<MessageRow>[]> {
  const ids = await engine.messageUploadIds(messages.map(({ id }) => id));
  return messages.map((message) => ({ ...message, fileIds: ids.get(message.id) ?? null }));
}

type CreateRun = components['schemas']['CreateRun'];

/**
 * Returns the settings of a request that apply to its run alone: secrets, output schema and judge. Later runs do not
 * inherit them (companion 7.2).
 */
export function ownMembers(body: CreateRun): Required<Pick<FollowUp, 'secrets' | 'runSettings'>> {
  const { outputSchema, judge } = body;
  const runSettings = {
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    ...(judge === null || judge === undefined ? {} : { judge: { context: judge.context ?? null } }),
  };
  return { secrets: secretBindings(body), runSettings };
}

type Schemas = components['schemas'];

/** Renders a session with the data of its latest run (companion 7.7). */
export function renderSession({ run, session }: RunOfSession, { rules }: RequestContext): Schemas['SessionInfo'] {
  return {
    sessionId: session.id,
    workspaceId: session.workspaceId,
    latestRunId: run.id,
    task: run.task,
    title: session.title,
    status: shownStatus(rules, 'v4', run.status),
    inboxEmail: session.inboxEmail,
    createdAt: new Date(session.createdAt).toISOString(),
    updatedAt: new Date(session.updatedAt).toISOString(),
  };
}

/** Renders a message (companion 7.8). */
export function renderMessage(message: WithFiles<MessageRow>): Schemas['QueuedMessage'] {
  return {
    id: message.id,
    sessionId: message.sessionId,
    runId: message.runId,
    status: message.status,
    text: message.text,
    attachedFileIds: message.fileIds === null ? null : [...message.fileIds],
    createdAt: new Date(message.createdAt).toISOString(),
    mode: message.mode,
  };
}

/** Renders a standalone browser (contract section 2; companion 4.6 and 4.7). */
export function renderBrowser(browser: BrowserRow, context: RequestContext): components['schemas']['Browser'] {
  const isActive = browser.status === browserStatus.active;
  return {
    id: browser.id,
    status: browser.status,
    liveUrl: isActive ? context.addresses.live(browser) : null,
    cdpUrl: isActive ? context.addresses.cdp(browser) : null,
    startedAt: shownTime(browser.startedAt),
    finishedAt: browser.finishedAt === null ? null : shownTime(browser.finishedAt),
    agentSessionId: null,
    recordingUrl: null,
    metadata: JSON.parse(browser.metadata),
    ...consumed(browser, context),
  };
}

/** Returns whether an agent session has or had a browser. */
export function hasBrowser({ browserSince: since, browserMs: ranMs }: SessionRow): boolean {
  return since !== null || ranMs > 0;
}

/** Returns the status of the browser of an agent session. */
export function sessionBrowserStatus({ browserSince: since }: SessionRow): BrowserRow['status'] {
  return since === null ? browserStatus.stopped : browserStatus.active;
}

/**
 * Renders the browser of an agent session under the id of the session (companion 4.6). It has a live view but no
 * DevTools URL, because the agent drives it.
 */
export function renderSessionBrowser(session: SessionRow, context: RequestContext): components['schemas']['Browser'] {
  const { addresses, engine, rules } = context;
  const { browserSince: since } = session;
  const costs = engine.costs(session);
  const startedAt = since ?? session.createdAt;
  return {
    id: session.id,
    status: sessionBrowserStatus(session),
    liveUrl: since === null ? null : addresses.live(session),
    cdpUrl: null,
    timeoutAt: shownTime(startedAt + getLimit(rules, 'browserTimeoutMax') * msPerMinute),
    startedAt: shownTime(startedAt),
    finishedAt: since === null ? shownTime(session.updatedAt) : null,
    agentSessionId: session.id,
    recordingUrl: null,
    metadata: {},
    proxyUsedMb: bytesToMegabytes(engine.meters(session).proxyBytes),
    proxyCost: microsToDecimal(costs.proxy),
    browserCost: microsToDecimal(costs.browser),
  };
}

const msPerMinute = 60_000;

/** A browser with its recordings. */
export interface BrowserWithRecordings {
  readonly browser: BrowserRow;
  readonly recordings: readonly RecordingRow[];
}

/** Reads the recordings of a browser. */
export async function withRecordings(
  browser: BrowserRow,
  { recordings }: RequestContext,
): Promise<BrowserWithRecordings> {
  return { browser, recordings: await recordings.of(browser.id) };
}

/** Renders the response to a stop, without a recording URL, because the recording is not ready yet (companion 4.7). */
export function renderBrowserDetail(
  { browser, recordings }: BrowserWithRecordings,
  context: RequestContext,
): components['schemas']['BrowserDetail'] {
  const isOver = browser.status === browserStatus.stopped && recordings.every(({ status }) => status === 'none');
  return { ...renderBrowser(browser, context), recordingAvailable: browser.enableRecording === 1 && !isOver };
}

/**
 * Renders the response to GET of a single browser: with its recording, once the browser has ended and the recording is
 * stored.
 */
export function renderBrowserWithRecording(
  found: BrowserWithRecordings,
  context: RequestContext,
): components['schemas']['BrowserDetail'] {
  // An active browser may already have a recording: of a Chromium that ended when its worker died. It is not shown yet.
  const hasEnded = found.browser.status === browserStatus.stopped;
  const recordingUrl = hasEnded ? (recordingAddresses(found.recordings, context.addresses).at(-1) ?? null) : null;
  return { ...renderBrowserDetail(found, context), recordingUrl };
}

type Consumed = 'timeoutAt' | 'proxyUsedMb' | 'proxyCost' | 'browserCost';

function consumed(browser: BrowserRow, { browsers }: RequestContext): Pick<components['schemas']['Browser'], Consumed> {
  const bill = browsers.bill(browser);
  return {
    timeoutAt: shownTime(bill.timeoutAtMs),
    proxyUsedMb: bytesToMegabytes(bill.proxyBytes),
    proxyCost: microsToDecimal(bill.proxyMicros),
    browserCost: microsToDecimal(bill.browserMicros),
  };
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
