import { sessionStatus } from '#generated/states.ts';
import type { components } from '#generated/v3.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { bytesToMegabytes, microsToDecimal } from '#contract/money.ts';
import type { RequestContext } from '../common/request-context.ts';
import { usedCountry } from '../common/check-settings.ts';
import { recordingAddresses } from '../common/addresses.ts';
import { readUsed } from '#store/queries/integrations.ts';
import type { RecordingRow } from '#store/queries/recordings.ts';
import type { SessionRow } from '#store/tables/sessions.ts';

type Enumerated = 'status' | 'model' | 'thinkingLevel' | 'proxyCountryCode';

/**
 * A session whose enumerations are typed as text. The database contains validated values only, and the response is
 * validated against its schema.
 */
type Session = Omit<components['schemas']['Session'], Enumerated> &
  Record<'status' | 'model', string> &
  Record<'thinkingLevel' | 'proxyCountryCode', string | null>;

type Consumed =
  | 'totalInputTokens'
  | 'totalOutputTokens'
  | 'proxyUsedMb'
  | 'llmCostUsd'
  | 'proxyCostUsd'
  | 'browserCostUsd'
  | 'totalCostUsd';

/** Renders a session (contract section 2), without its recordings. */
export function renderSession(session: SessionRow, context: RequestContext): Session {
  return {
    ...cachedMembers(session),
    ...consumed(session, context),
    proxyCountryCode: usedCountry(session.proxyCountryCode, context),
    liveUrl: hasEnded(session, context) ? null : context.addresses.live(session),
    screenshotUrl: context.addresses.screenshot(session.screenshotKey),
  };
}

function hasEnded({ status }: SessionRow, { rules }: RequestContext): boolean {
  return isTerminal(rules.lifecycle, status);
}

/** A session and the recordings of its completed tasks. */
export interface SessionWithRecordings {
  readonly session: SessionRow;
  readonly recordings: readonly RecordingRow[];
}

/**
 * Renders the response to GET of a single session: with recordings, unless the session is starting or a task is running
 * (contract section 2).
 */
export function renderDetail({ session, recordings }: SessionWithRecordings, context: RequestContext): Session {
  const hasTask = session.status === sessionStatus.created || session.status === sessionStatus.running;
  const recordingUrls = hasTask ? [] : recordingAddresses(recordings, context.addresses);
  return { ...renderSession(session, context), recordingUrls };
}

/** Renders a session as in a list: without presigned URLs (companion 6.3). */
export function renderListed(session: SessionRow, context: RequestContext): Session {
  return { ...renderSession(session, context), screenshotUrl: null };
}

/**
 * Cache of rendered members that depend on the session row alone, by row object. A write replaces the row object, so
 * cached members stay correct. Polls of an unchanged session then parse no JSON.
 */
const rendered = new WeakMap<SessionRow, ReturnType<typeof stored>>();

function cachedMembers(session: SessionRow): ReturnType<typeof stored> {
  const known = rendered.get(session);
  if (known !== undefined) return known;
  const made = stored(session);
  rendered.set(session, made);
  return made;
}

function stored(session: SessionRow): Omit<Session, Consumed | 'proxyCountryCode'> {
  return {
    id: session.id,
    status: session.status,
    model: session.model,
    answeredBy: session.answeredBy,
    thinkingLevel: session.thinkingLevel,
    title: session.title,
    output: session.output === null ? null : JSON.parse(session.output),
    outputSchema: session.outputSchema === null ? null : JSON.parse(session.outputSchema),
    stepCount: session.stepCount,
    lastStepSummary: session.lastStepSummary,
    isTaskSuccessful: session.isTaskSuccessful === null ? null : session.isTaskSuccessful === 1,
    recordingUrls: [],
    profileId: session.profileId,
    workspaceId: session.workspaceId,
    maxCostUsd: session.maxCostMicros === null ? null : microsToDecimal(session.maxCostMicros),
    inboxEmail: session.inboxEmail,
    integrationsUsed: readUsed(session.integrationsUsed),
    browserScreenWidth: session.screenWidth,
    browserScreenHeight: session.screenHeight,
    createdAt: new Date(session.createdAt).toISOString(),
    updatedAt: new Date(session.updatedAt).toISOString(),
  };
}

function consumed(session: SessionRow, { engine }: RequestContext): Pick<Session, Consumed> {
  const meters = engine.meters(session);
  const costs = engine.costs(session);
  return {
    totalInputTokens: meters.inputTokens,
    totalOutputTokens: meters.outputTokens,
    proxyUsedMb: bytesToMegabytes(meters.proxyBytes),
    llmCostUsd: microsToDecimal(costs.llm),
    proxyCostUsd: microsToDecimal(costs.proxy),
    browserCostUsd: microsToDecimal(costs.browser),
    totalCostUsd: microsToDecimal(costs.total),
  };
}
