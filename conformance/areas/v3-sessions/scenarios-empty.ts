import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  createSession,
  CreationRefused,
  endStates,
  fetchSession,
  openScreenshot,
  type Observation,
  poll,
  type SessionObservation,
} from '../../common/observed-session.ts';
import { tryCredentials } from '../../common/credentials.ts';
import { openAddress } from '../../common/session-share.ts';
import { isJsonObject, type JsonObject, toText } from '../../core/json.ts';
import { createRandom, randomUuid, sample } from '../../core/random.ts';
import { sessionRecord } from '../../ledger/session-api.ts';
import { type Exchange, refused, succeeded, isServerError } from '../../core/exchange.ts';
import { type LevelCell, levelCells } from '../../common/level-cells.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import type { Target } from '../../core/target.ts';
import { structuredSchema } from './scenarios-outputs.ts';
import { createAttached, named } from './scenarios.ts';
import {
  deleteSession,
  type DeletedSession,
  isBeyondOffered,
  readSessionLists,
  type SessionLists,
} from '../v3-messages/scenarios.ts';
import { readSettled } from '../../common/target-facts.ts';

/** Sessions without a task. */
export interface EmptySessions extends SessionObservation {
  /** The response of the first session's screenshot URL before any task; undefined without such a URL. */
  screenshot: Exchange | undefined;
  /** The response of the first session's live view before any task; undefined without such a URL. */
  live: Exchange | undefined;
  /**
   * Fetch of the first session after requests without a usable key have tried to stop and delete it; undefined if the
   * fetch shows no record.
   */
  untouched: Observation | undefined;
  /** A session with `keepAlive` false, once it is idle or has ended, or at the start deadline. */
  unkept: SessionObservation | undefined;
  /** The stop of `unkept`, which may be idle and never had a task; undefined without a stop operation. */
  stoppedIdle: StoppedSession | undefined;
  /**
   * A session with a recording that was stopped at once. Undefined without a stop operation, and if the creation was
   * refused.
   */
  stopped: StoppedSession | undefined;
  /** Sessions without a model, each created right after a refused creation on another model. */
  afterRefusals: { model: string; seen: Observation }[];
  /**
   * Lists of sessions, read after the creation of `unkept`; undefined without the profile `full`, and if the target
   * offers no list.
   */
  lists: SessionLists | undefined;
  /**
   * The deletion of the session of `stopped`; undefined without `stopped`, without the profile `full`, and if the
   * target does not offer the operations.
   */
  deleted: DeletedSession | undefined;
}

/** The answer to a stop, and the session after the stop. */
export interface StoppedSession {
  exchange: Exchange;
  session: SessionObservation;
}

/** Creates sessions without a task. The contract does not show this request, so a refusal is no violation. */
export const emptySession: Scenario<EmptySessions> = {
  name: 'empty-session',
  creates: 'three V3 sessions without a task, one with a profile and a workspace that are deleted again',
  spend: 'browser',
  dispatches: 0,
  browsers: () => 3,
  stateful: true,
  run: (context) => context.live(() => driveEmpty(context)),
};

async function driveEmpty(context: ScenarioContext): Promise<EmptySessions> {
  const session = await createEquipped(context);
  await untilReady(context, session);
  const screenshot = await openScreenshot(context, session.id);
  const live = await openLiveInTime(context, session.end.record['liveUrl']);
  await tryCredentials(context, [
    context.sessions.request('get', session.id),
    context.operations.request('v3.listMessages', { path: [session.id] }),
    context.sessions.request('stop', session.id),
    context.operations.request('v3.deleteSession', { path: [session.id] }),
  ]);
  const exchange = await context.sessions.get(session.id);
  const record = sessionRecord(exchange);
  const untouched = record === undefined ? undefined : { exchange, record };
  // An id that no session has: an answer with a record would be about another session.
  await context.sessions.get(randomUuid(createRandom(context.seed + 11)));
  const [first, second] = drawRefused(context);
  const workspace = workspaceOf(session.request, context.target);
  const before = first === undefined ? undefined : await refuseCreation(context, first, workspace);
  const unkept = await createSession(context, { keepAlive: false });
  await untilReady(context, unkept);
  const isListed = isBeyondOffered(context, ['v3.listSessions']);
  const lists = isListed ? await readSessionLists(context, unkept.id) : undefined;
  const stoppedIdle = context.target.v3?.stop === null ? undefined : await stopSession(context, unkept);
  const later = second === undefined || before === undefined ? undefined : await refuseCreation(context, second);
  const stopped = await stopAtOnce(context);
  const pairs = [
    [before, unkept],
    [later, stopped?.session],
  ] as const;
  const afterRefusals = pairs.flatMap(([model, one]) => {
    const [seen] = one?.fetches ?? [];
    return model === undefined || seen === undefined ? [] : [{ model, seen }];
  });
  const isRemoved = isBeyondOffered(context, ['v3.listSessions', 'v3.deleteSession', 'v3.getSession']);
  const deleted = isRemoved && stopped !== undefined ? await deleteSession(context, stopped.session.id) : undefined;
  return { ...session, screenshot, live, untouched, unkept, stoppedIdle, stopped, afterRefusals, lists, deleted };
}

/**
 * Returns two models, each with a level that it does not support. Excludes aliases and models that need the caller's
 * own provider key. The seed chooses the models.
 */
function drawRefused({ seed }: ScenarioContext): LevelCell[] {
  const cells = levelCells('v3').filter(({ accepted, ownKey, names }) => !accepted && !ownKey && names.length === 1);
  const models = sample([...Map.groupBy(cells, ({ model }) => model).values()], 2, seed);
  return models.flatMap((one) => one.slice(0, 1));
}

/**
 * Sends a creation that must be refused, with further valid members. Returns the model of the creation; undefined if the
 * target did not refuse it.
 */
async function refuseCreation(
  context: ScenarioContext,
  { model, level }: LevelCell,
  members: JsonObject = {},
): Promise<string | undefined> {
  const body = { ...sessionProbe(context.target), ...members, model, thinkingLevel: level };
  return refused(await context.sessions.probe(body)) ? model : undefined;
}

/**
 * Returns the member with the workspace of a creation; empty if the session has none. Its profile may be in use, which
 * a service may check first.
 */
function workspaceOf(request: JsonObject, target: Target): JsonObject {
  const names = Object.keys(named(target, { workspaceId: null }));
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)));
}

async function untilReady(context: ScenarioContext, session: SessionObservation): Promise<void> {
  await poll(context, session, {
    id: session.id,
    until: ({ end }) => ['idle', ...endStates].includes(toText(end.record['status'])),
    deadlineMs: context.target.polling.startDeadlineMs,
  });
}

async function stopAtOnce(context: ScenarioContext): Promise<EmptySessions['stopped']> {
  if (context.target.v3?.stop === null) return undefined;
  const dispatched = await createWithCeiling(context, { keepAlive: true, enableRecording: true });
  if (!succeeded(dispatched)) return undefined;
  return stopSession(context, { id: context.sessions.readId(dispatched), dispatched });
}

/** Stops a session, and fetches it until it has ended or the settle deadline has passed. */
async function stopSession(
  context: ScenarioContext,
  { id, dispatched }: Pick<SessionObservation, 'id' | 'dispatched'>,
): Promise<StoppedSession> {
  const exchange = await context.sessions.stop(id);
  const first = await fetchSession(context, id);
  const session = { id, request: {}, dispatched, fetches: [first], end: first };
  await poll(context, session, {
    id,
    until: ({ end }) => endStates.includes(toText(end.record['status'])),
    deadlineMs: context.target.polling.settleDeadlineMs,
  });
  return { exchange, session };
}

/** Creates a session with an unusual cost ceiling, or without a ceiling if the target refuses these ceilings. */
async function createWithCeiling({ sessions, target }: ScenarioContext, body: JsonObject): Promise<Exchange> {
  for (const maxCostUsd of [exponentCeiling, smallCeiling]) {
    const ceiling = named(target, { maxCostUsd });
    const tried = await sessions.create({ body: { ...body, ...ceiling }, invalid: true });
    if (!refused(tried)) return tried;
  }
  return sessions.create({ body });
}

/**
 * Cost ceiling that is no decimal string, because it has an exponent. A tolerant service may read it, and must not show
 * it so.
 */
const exponentCeiling = '5e-2';

/** Cost ceiling in whole millionths of a dollar that some languages print with an exponent. A service may refuse it. */
const smallCeiling = '0.000005';

/** Cost ceiling with more decimal places than cents have. A session without a task spends nothing. */
const fineCeiling = '1.2345';

/**
 * Schema with many keywords, a null and letters outside of ASCII, for a session without a task: the record must show it
 * unchanged. A service may support less of JSON Schema.
 */
const richSchema: JsonObject = {
  ...structuredSchema,
  $defs: { price: { type: 'number', title: 'Preis in €', minimum: 0 } },
  title: 'Größe und Preis',
  properties: {
    ...(isJsonObject(structuredSchema['properties']) ? structuredSchema['properties'] : {}),
    größe: { type: ['string', 'null'], title: 'Größe', default: null },
    price: { $ref: '#/$defs/price' },
  },
};

/**
 * Creates a kept-alive session with many settings that cost nothing, and an output schema with many keywords. If the
 * target refuses this session, sends the same settings with a plain output schema. If the target refuses this too,
 * creates a kept-alive session without other settings.
 */
async function createEquipped(context: ScenarioContext): Promise<SessionObservation> {
  const settings: JsonObject = {
    thinkingLevel: 'low',
    codeMode: true,
    outputSchema: richSchema,
    ...named(context.target, { maxCostUsd: fineCeiling, proxyCountryCode: 'de' }),
    ...(await createAttached(context)),
  };
  const bodies = [settings, { ...settings, outputSchema: structuredSchema }].map((one) => ({
    keepAlive: true,
    ...one,
  }));
  for (const body of bodies) {
    try {
      return await createSession(context, body);
    } catch (error) {
      if (!(error instanceof CreationRefused)) throw error;
      // A second failure of the same request is no accident (V3-CREATE-01).
      if (isServerError(error.exchange.status)) await context.sessions.create({ body });
    }
  }
  return createSession(context, { keepAlive: true });
}

/**
 * Opens the URL of a live view, and repeats a failure until `settleDeadlineMs`. Returns the last answer; undefined
 * without a valid URL.
 */
function openLiveInTime(context: ScenarioContext, url: unknown): Promise<Exchange | undefined> {
  return readSettled(
    context,
    () => openLive(context, url),
    (page) => page === undefined || page.status < 400,
  );
}

/** Maximum number of redirects that are followed from the URL of a live view. */
const redirectsMax = 5;

/**
 * Opens the first text among the values as a URL, without a key. Returns undefined without a text, and for an invalid
 * URL.
 */
export async function openFirst(context: ScenarioContext, values: readonly unknown[]): Promise<Exchange | undefined> {
  const address = values.find((url) => typeof url === 'string');
  return address === undefined || !URL.canParse(address) ? undefined : openAddress(context, address);
}

/**
 * Opens the URL of a live view without a key and follows its redirects. Returns the last answer; undefined without a
 * valid URL.
 */
export async function openLive(context: ScenarioContext, url: unknown): Promise<Exchange | undefined> {
  let page = await openFirst(context, [url]);
  for (let count = 0; count < redirectsMax && page !== undefined; count += 1) {
    const next = findRedirect(page);
    if (next === undefined) break;
    page = await openAddress(context, next);
  }
  return page;
}

/**
 * Returns the URL to which a redirect leads. Undefined for any other answer, and for a redirect that sets a cookie: the
 * next page may need the cookie, which the suite does not send.
 */
function findRedirect({ status, headers, request }: Exchange): string | undefined {
  const { location } = headers;
  if (status < 300 || status >= 400 || location === undefined || headers['set-cookie'] !== undefined) return undefined;
  const url = URL.parse(location, request.url);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}
