import type { ShareRow } from '#store/queries/shares.ts';
import { isTerminal, liveStates, shownSessionStatus } from '#contract/lifecycle.ts';
import { bytesToMegabytes, microsToDecimal } from '#contract/money.ts';
import { isProblem, problem } from '#contract/problems.ts';
import { readScreen } from '#contract/screen.ts';
import type { components } from '#generated/v2.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { RecordingRow } from '#store/queries/recordings.ts';
import type { SessionPage } from '#store/queries/sessions.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { recordingAddresses } from '../common/addresses.ts';
import type { RequestContext } from '../common/request-context.ts';
import { checkCountry } from '../common/check-settings.ts';
import { readCustomProxy } from '../common/custom-proxy.ts';
import { oneShot, checkProfile, findSessionOr404, useProfile } from '../common/sessions.ts';
import { tooMany } from '../common/refusals.ts';
import type { Operation } from '../operation.ts';
import { renderItem } from './render-task.ts';
import { readBody, checkStartUrl } from './run-settings.ts';

type CreateSession = components['schemas']['CreateSession'];

/**
 * Creates a session without a task: POST /sessions (companion 5.1 and 5.5). The session stays active after its tasks
 * unless the request sets `keepAlive` to false.
 */
export const createSession: Operation<RequestContext, NewSession, SessionRow> = {
  async decide(request, context) {
    const body = readBody(request, 'CreateSession');
    const refusal = checkStartUrl(body.startUrl);
    if (refusal !== null) return refusal;
    const customProxy = readCustomProxy(body.customProxy, ['customProxy']);
    if (isProblem(customProxy)) return customProxy;
    const wanted = { ...newSession(body, context.rules.models.v2.default.model), customProxy };
    return checkCountry(body, context) ?? (await checkProfile(body.profileId, context)) ?? wanted;
  },
  async apply(wanted, context) {
    const created = await context.engine.create(context.scope, { ...wanted, keyId: context.keyId });
    if ('tooMany' in created) return tooMany(created.tooMany);
    if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
    await useProfile(wanted.profileId, context);
    return created.session;
  },
  render: (session, context) => ({ status: 201, body: renderSession(session, context) }),
};

function newSession(body: CreateSession, model: string): NewSession {
  return {
    ...oneShot,
    task: null,
    model,
    keepAlive: body.keepAlive ?? true,
    persistMemory: body.persistMemory ?? true,
    startUrl: body.startUrl ?? null,
    ...readSettings(body),
  };
}

interface Found extends SessionPage {
  readonly rows: SessionRow[];
  readonly total: number;
}

/** Lists the sessions of the project, newest first: GET /sessions (companion 5.1). */
export const listSessions: Operation<RequestContext, SessionPage, Found> = {
  decide: ({ query }, context) => ({
    page: Number(query['pageNumber']),
    pageSize: Number(query['pageSize']),
    only: readFilter(query['filterBy'], context),
  }),
  apply: async (page, { engine, scope }) => ({ ...page, ...(await engine.list(scope, page)) }),
  render: ({ rows, total, page, pageSize }, context) => ({
    status: 200,
    body: {
      items: rows.map((row) => renderSession(row, context)),
      totalItems: total,
      pageNumber: page,
      pageSize,
    },
  }),
};

/**
 * Returns the selection for the query parameter `filterBy`: `active` selects sessions that have not ended, `stopped`
 * selects ended sessions. Returns null without the parameter.
 */
function readFilter(filterBy: unknown, { rules }: RequestContext): NonNullable<SessionPage['only']> | null {
  if (typeof filterBy !== 'string') return null;
  return { living: liveStates(rules.lifecycle), areLiving: filterBy === 'active' };
}

/** Returns a session with its tasks: GET /sessions/{session_id} (companion 5.1). */
export const getSession: Operation<RequestContext, SessionRow, SessionWithTasks> = {
  decide: findSessionOr404,
  apply: withTasks,
  render: (found, context) => ({ status: 200, body: renderDetail(found, context) }),
};

/** Stops a session and its tasks: PATCH /sessions/{session_id} (companion 5.1). `stop` is the only action. */
export const updateSession: Operation<RequestContext, SessionRow, SessionWithTasks> = {
  decide: findSessionOr404,
  apply: async (session, context) => withTasks(await context.engine.stop(session, 'session'), context),
  render: (found, context) => ({ status: 200, body: renderDetail(found, context) }),
};

type Settings = components['schemas']['SessionSettings'];

/**
 * Returns the settings that a request gives for a new session (companion 5.5). An absent setting is omitted, so that
 * its default applies; an absent window size is null.
 */
export function readSettings(
  settings: Settings,
): Partial<Pick<NewSession, 'proxyCountryCode' | 'screen' | 'enableRecording' | 'profileId'>> {
  const {
    proxyCountryCode,
    browserScreenWidth: width,
    browserScreenHeight: height,
    enableRecording,
    profileId,
  } = settings;
  return {
    ...(proxyCountryCode === undefined ? {} : { proxyCountryCode }),
    screen: readScreen(width, height),
    ...(enableRecording === undefined ? {} : { enableRecording }),
    ...(profileId === undefined ? {} : { profileId }),
  };
}

type Schemas = components['schemas'];

/** Renders a session as in lists (companion 5.5). Every ended session has the status `stopped`. */
function renderSession(session: SessionRow, { engine, rules, addresses }: RequestContext): Schemas['SessionItem'] {
  const hasEnded = isTerminal(rules.lifecycle, session.status);
  return {
    id: session.id,
    status: hasEnded ? shownSessionStatus.stopped : shownSessionStatus.active,
    liveUrl: hasEnded ? null : addresses.live(session),
    recordingUrl: null,
    startedAt: new Date(session.createdAt).toISOString(),
    // The last update of an ended session is its end.
    finishedAt: hasEnded ? new Date(session.updatedAt).toISOString() : null,
    persistMemory: session.persistMemory === 1,
    keepAlive: session.keepAlive === 1,
    proxyUsedMb: bytesToMegabytes(engine.meters(session).proxyBytes),
    proxyCost: microsToDecimal(engine.costs(session).proxy),
  };
}

/** A session with its tasks, oldest first, its public share and its recordings. */
interface SessionWithTasks {
  readonly session: SessionRow;
  readonly tasks: readonly RunOfSession[];
  readonly share: ShareRow | null;
  readonly recordings: readonly RecordingRow[];
}

/** Reads a session with all its tasks, its public share and its recordings. */
async function withTasks(
  session: SessionRow,
  { engine, shares, recordings }: RequestContext,
): Promise<SessionWithTasks> {
  const [tasks, share] = [await engine.runsIn(session), await shares.find(session.id)];
  return { session, tasks, share, recordings: await recordings.of(session.id) };
}

/** Renders a session with its tasks (companion 5.5). */
function renderDetail({ session, tasks, share, recordings }: SessionWithTasks, context: RequestContext): unknown {
  const rendered = renderSession(session, context);
  // An active session may already have a recording: of a browser that ended when its worker died. It is not shown yet.
  const hasEnded = rendered.status === shownSessionStatus.stopped;
  return {
    ...rendered,
    recordingUrl: hasEnded ? (recordingAddresses(recordings, context.addresses).at(-1) ?? null) : null,
    tasks: tasks.map((task) => renderItem(task, context)),
    publicShareUrl: share === null ? null : context.addresses.share(share).url,
  };
}
