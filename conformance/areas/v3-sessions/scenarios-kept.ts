import { type JsonObject, memberAt, toText } from '../../core/json.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { settleAll } from '../../core/outcome.ts';
import { isOwnTask } from '../../common/target-facts.ts';
import { createAttached, getKeepMembers, getPlainSchema, named, runWithSchema } from './scenarios.ts';
import { pathWithId } from '../../core/path-with-id.ts';
import { openFirst, openLive } from './scenarios-empty.ts';
import {
  createSession,
  CreationRefused,
  endStates,
  fetchSession,
  hasEnded,
  type Observation,
  poll,
  runTask,
  type SessionObservation,
  type TaskObservation,
} from '../../common/observed-session.ts';
import { type Bystander, besideBrowser } from '../../common/observed-browser.ts';
import {
  isBeyondOffered,
  readFollowUp,
  readMessages,
  readNewest,
  type MessageReads,
  type SessionMessages,
} from '../v3-messages/scenarios.ts';

/** A follow-up with a level that the session's model does not support, and the session after it. */
export interface Unsupported {
  level: string;
  exchange: Exchange;
  after: Observation;
}

/** A session with keepAlive that runs follow-up tasks and is stopped while idle. */
export interface KeptSession {
  /** The first task of the session, with level high. */
  first: SessionObservation;
  /**
   * Follow-ups in order: level high again, disabled, omitted, null with an output schema, and with another schema omitted
   * or, if the seed is even, disabled. The task of the third fails, or of the second if the seed is even. Shorter if a
   * follow-up was refused, or did not end with an idle session.
   */
  followUps: TaskObservation[];
  /** Follow-ups with a level that the session's model does not support; empty without a follow-up operation. */
  unsupported: readonly Unsupported[];
  /**
   * The page of the live view, opened without a key while a later session was alive; undefined without such a URL, and
   * if the session had ended.
   */
  live: Exchange | undefined;
  /**
   * The messages of the session; undefined without the profile `full`, and without a follow-up that has ended.
   */
  messages: SessionMessages | undefined;
  /**
   * The stop, the session right before the stop, and the fetches after the stop, two of which follow the last poll;
   * undefined without a stop operation.
   */
  stopped: { before: Observation; exchange: Exchange; after: Observation[] } | undefined;
}

/**
 * Model that supports only disabled and high. The refusal of another level in a follow-up shows that the target
 * validates levels against the model of the session.
 */
export const keptModel = 'glm-5.2';

const unsupportedLevels = ['low', 'medium'] as const;

/** Number of follow-ups of the kept session. */
const followUpCount = 5;

/**
 * Returns the follow-ups in order: each level is set, omitted and cleared. One has a task that fails, if the target file
 * defines one. The seed decides whether the level is omitted with that task or after it, and whether it is omitted or
 * set again after it was cleared. The last two ask for structured output.
 */
function followUpBodies(context: ScenarioContext): JsonObject[] {
  const { tasks } = context.target;
  const isEven = context.seed % 2 === 0;
  const task = tasks.succeed;
  const failingTask = isOwnTask(context.target, 'fail') ? tasks.fail : task;
  return [
    { task, keepAlive: true, thinkingLevel: 'high' },
    { task: isEven ? failingTask : task, keepAlive: true, thinkingLevel: 'disabled' },
    { task: isEven ? task : failingTask, keepAlive: true },
    { task, keepAlive: true, thinkingLevel: null, ...getPlainSchema(context, 1) },
    { task, keepAlive: true, ...(isEven ? { thinkingLevel: 'disabled' } : {}), ...getPlainSchema(context, 0) },
  ];
}

/** Creates one session with follow-up tasks; records each task and the stop. */
export const keptSession: Scenario<KeptSession> = {
  name: 'kept-session',
  creates:
    'one V3 session that is kept, with one task and five follow-ups, and one without a task beside it; a profile and a workspace that are deleted again',
  spend: 'task',
  dispatches: 1 + followUpCount,
  browsers: () => 1,
  stateful: true,
  run: (context) => context.live(() => driveKept(context)),
};

async function driveKept(context: ScenarioContext): Promise<KeptSession> {
  const first = await runFirst(context);
  const open = context.target.v3?.followUp !== null && first.end.record['status'] === 'idle';
  const recorded = open ? await driveOpen(context, first) : noFollowUps;
  const stopped = context.target.v3?.stop === null ? undefined : await stop(context, first);
  const { messages } = recorded;
  if (messages !== undefined && stopped !== undefined) messages.ended = await readNewest(context, first.id);
  return { first, ...recorded, stopped };
}

/** The part of the recording that needs an idle session with follow-ups. */
type OpenSession = Omit<KeptSession, 'first' | 'stopped'>;

const noFollowUps: OpenSession = { followUps: [], unsupported: [], live: undefined, messages: undefined };

async function driveOpen(context: ScenarioContext, first: SessionObservation): Promise<OpenSession> {
  const followUps: TaskObservation[] = [];
  const unsupported: Unsupported[] = [];
  await fetchWithQuery(context, first.id);
  const isRead = isBeyondOffered(context, ['v3.listMessages']);
  const reads = isRead ? await readMessages(context, first.id) : undefined;
  const { live, messages } = await sendFollowUps(context, first, { followUps, unsupported, reads });
  const last = followUps.at(-1);
  // A task that is still pending could be mistaken for a task of the refused follow-up.
  const settled = last === undefined || !succeeded(last.dispatched) || hasEnded(last);
  if (settled && unsupported.every(({ exchange }) => refused(exchange)))
    unsupported.push(await sendUnsupported(context, first.id, unsupportedLevels[1]));
  return { followUps, unsupported, live, messages };
}

/**
 * Fetches a session with a query that the contract does not define. A target may refuse this fetch. If the target
 * answers it with a record, the laws over all fetches judge that record too.
 */
async function fetchWithQuery({ sessions, send }: ScenarioContext, id: string): Promise<void> {
  const read = sessions.request('get', id);
  if (read !== undefined) await send({ ...read, path: `${read.path}?svc=1`, invalid: true });
}

/** Runs the first task, with a profile and a workspace of its own unless the target refuses the session with them. */
async function runFirst(context: ScenarioContext): Promise<SessionObservation> {
  const body = {
    task: context.target.tasks.succeed,
    model: keptModel,
    thinkingLevel: 'high',
    keepAlive: true,
    codeMode: false,
    enableRecording: false,
    ...named(context.target, { inbox: false }),
  };
  const attached = await createAttached(context);
  try {
    return await runTask(context, { ...body, ...attached });
  } catch (error) {
    if (!(error instanceof CreationRefused) || Object.keys(attached).length === 0) throw error;
    return runTask(context, body);
  }
}

/** Index of the follow-up after which the first unsupported level is sent: the session then has a level. */
const leveled = 1;

/** Lists to which follow-ups are added, and the messages of the first task if they were read. */
interface FollowUpRecords extends Pick<KeptSession, 'followUps'> {
  unsupported: Unsupported[];
  reads: MessageReads | undefined;
}

/**
 * Sends the follow-ups, and records them. Returns the page of the live view, opened while another session that was
 * created later was alive, and the messages after the first follow-up.
 */
async function sendFollowUps(
  context: ScenarioContext,
  { id, request, end }: SessionObservation,
  { followUps, unsupported, reads }: FollowUpRecords,
): Promise<Pick<KeptSession, 'live' | 'messages'>> {
  let [live, messages]: [Exchange?, SessionMessages?] = [];
  for (const [index, body] of followUpBodies(context).entries()) {
    const work = async (): Promise<TaskObservation> => {
      const opened = openLive(context, index === leveled ? end.record['liveUrl'] : undefined);
      const [task, page] = await settleAll([runWithSchema(context, id, body), opened]);
      if (['idle', 'running'].includes(toText(task.fetches[0]?.record['status']))) live ??= page;
      return task;
    };
    const observed = index === leveled ? await besideIdleSession(context, request, work) : await work();
    followUps.push(observed);
    if (!succeeded(observed.dispatched) || !hasEnded(observed) || observed.end.record['status'] !== 'idle') break;
    if (index === 0 && reads !== undefined) messages = await readFollowUp(context, { id, reads, followUp: observed });
    if (index !== leveled) continue;
    const sent = await sendUnsupported(context, id, unsupportedLevels[0]);
    unsupported.push(sent);
    // An accepted follow-up is running now, and would cause the next refusal.
    if (!refused(sent.exchange)) break;
  }
  return { live, messages };
}

/**
 * Performs work while another session is idle, and fetches that session before and after: the laws over all fetches
 * judge that the work has not changed it. The other session has the workspace of `request` and is stopped after the
 * work, because its stop must not end other sessions of the workspace. If the target refuses a session without a task,
 * offers no stop, or allows fewer than three sessions at once, performs only the work.
 */
async function besideIdleSession<T>(context: ScenarioContext, request: JsonObject, work: () => Promise<T>): Promise<T> {
  const { limits, polling, v3 } = context.target;
  // If only two sessions were allowed, two scenarios with one session each would wait for a second session for ever.
  if (limits.sessionsAtOnce < 3 || v3?.stop === null) return work();
  return context.live(async () => {
    const name = v3?.members.workspaceId ?? '';
    const workspaceId = request[name];
    const shared = workspaceId === undefined ? undefined : await createIdle(context, { [name]: workspaceId });
    const idle = shared ?? (await createIdle(context, {}));
    if (idle === undefined) return work();
    await poll(context, idle, {
      id: idle.id,
      until: ({ end }) => ['idle', ...endStates].includes(toText(end.record['status'])),
      deadlineMs: polling.startDeadlineMs,
    });
    try {
      return await work();
    } finally {
      await fetchSession(context, idle.id);
      await context.sessions.stop(idle.id);
    }
  }, 'first');
}

async function createIdle(context: ScenarioContext, members: JsonObject): Promise<SessionObservation | undefined> {
  try {
    return await createSession(context, { model: keptModel, thinkingLevel: 'high', keepAlive: true, ...members });
  } catch (error) {
    if (error instanceof CreationRefused) return undefined;
    throw error;
  }
}

/** Minimum time in ms for which the session rests before the follow-up that omits the level: ten short intervals. */
const restMs = 1000;
const restIntervals = 10;

/**
 * Sends a follow-up that must be refused, and fetches the session before and after this follow-up. A pause before the
 * first fetch lets the checks see whether all costs are booked, whether the session rests, and whether it keeps its
 * level at rest.
 */
async function sendUnsupported(context: ScenarioContext, id: string, level: string): Promise<Unsupported> {
  const { intervalMs } = context.target.polling;
  const isFirst = level === unsupportedLevels[0];
  await context.pause(isFirst ? Math.max(intervalMs, Math.min(restMs, restIntervals * intervalMs)) : intervalMs);
  await fetchSession(context, id);
  const body = { task: context.target.tasks.succeed, thinkingLevel: level };
  const exchange = await context.sessions.followUp(id, { body, invalid: true });
  return { level, exchange, after: await fetchSession(context, id) };
}

/**
 * Fetches a session, stops it, and polls until it has ended or the settle deadline has passed. Stops an ended session
 * again, which must not revive it, and fetches it twice more.
 */
async function stop(
  context: ScenarioContext,
  session: SessionObservation,
): Promise<NonNullable<KeptSession['stopped']>> {
  const before = await fetchSession(context, session.id);
  const exchange = await context.sessions.stop(session.id);
  const first = await fetchSession(context, session.id);
  const task: TaskObservation = { request: {}, dispatched: exchange, fetches: [first], end: first };
  await poll(context, task, {
    id: session.id,
    until: ({ end }) => endStates.includes(toText(end.record['status'])),
    deadlineMs: context.target.polling.settleDeadlineMs,
  });
  if (endStates.includes(toText(task.end.record['status']))) await context.sessions.stop(session.id);
  const after = [...task.fetches, await fetchSession(context, session.id), await fetchSession(context, session.id)];
  return { before, exchange, after };
}

/** A slow task with recording, stopped while it runs. */
export interface InterruptedSession {
  session: SessionObservation;
  /** Fetches of the session before another task is sent to it. */
  beforeFollowUp: readonly Observation[];
  /**
   * Pages of the live view, opened without a key while the task runs: at the URLs that the creation, the first fetch
   * and the last fetch show.
   */
  live: readonly Exchange[];
  /**
   * The response of the screenshot URL in the last fetch, opened without a key after the stop; undefined if that fetch
   * shows no URL.
   */
  screenshot: Exchange | undefined;
  /** The response of the screenshot URL that the last but one fetch shows. The URL is opened after the last fetch. */
  replacedScreenshot: Exchange | undefined;
  stopped: KeptSession['stopped'];
  /**
   * A standalone browser that was active during the stop of this session and the deletion of another session; undefined
   * without a stop operation, and without browsers.
   */
  bystander: Bystander | undefined;
}

/** Creates one session with a recording and stops it while its task runs and a standalone browser is active. */
export const interruptedSession: Scenario<InterruptedSession> = {
  name: 'interrupted-session',
  creates:
    'one V3 session with a slow task that is stopped while it runs, one without a task that is deleted, and a browser beside them',
  spend: 'task',
  dispatches: 1,
  browsers: () => 1,
  stateful: true,
  unavailable: ({ tasks }) => (tasks.slow === null ? 'the target file names no slow goal (tasks.slow)' : undefined),
  run: (context) => context.live(() => interrupt(context)),
};

async function interrupt(context: ScenarioContext): Promise<InterruptedSession> {
  const body = { task: String(context.target.tasks.slow), keepAlive: true, enableRecording: true };
  const session = await createSession(context, body);
  // Two fetches while the task runs allow a comparison of counters, and show recordings that appear too early.
  await poll(context, session, {
    id: session.id,
    until: (task) => hasEnded(task) || task.fetches.filter(({ record }) => record['status'] === 'running').length >= 2,
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  await poll(context, session, {
    id: session.id,
    until: (task) => hasEnded(task) || typeof task.end.record['title'] === 'string',
    deadlineMs: context.target.polling.settleDeadlineMs,
  });
  const read = context.sessions.request('get', session.id);
  if (read !== undefined) await context.send({ ...read, key: 'none' });
  const beforeFollowUp = [...session.fetches];
  await followRunning(context, session);
  const created = memberAt(session.dispatched.json, 'liveUrl');
  const urls = session.fetches.map(({ record }) => record['liveUrl']).filter((url) => typeof url === 'string');
  const opened = [...new Set([created, urls[0], urls.at(-1)])].map((url) => openLive(context, url));
  const live = (await settleAll(opened)).filter((page) => page !== undefined);
  const { done: stopped, bystander } =
    context.target.v3?.stop === null
      ? { done: undefined, bystander: undefined }
      : await besideBrowser(context, async () => {
          const seen = await stop(context, session);
          await deleteAnother(context);
          return seen;
        });
  const openShot = (seen: Observation | undefined): Promise<Exchange | undefined> =>
    openFirst(context, [seen?.record['screenshotUrl']]);
  const screenshot = await openShot(stopped?.after.at(-1));
  const replacedScreenshot = await openShot(stopped?.after.at(-2));
  return { session, beforeFollowUp, live, screenshot, replacedScreenshot, stopped, bystander };
}

/**
 * Creates a session without a task and deletes it. Does nothing if the target offers no deletion or refuses such a
 * session.
 */
async function deleteAnother(context: ScenarioContext): Promise<void> {
  const { target, sessions, ledger, resources } = context;
  const place = target.v3?.delete ?? null;
  const created = place === null ? undefined : await sessions.create({ body: { keepAlive: true } });
  if (place === null || created === undefined || !succeeded(created)) return;
  const id = sessions.readId(created);
  const path = pathWithId(place.path, id);
  const answer = await context.send({ generation: 'v3', operation: 'deleteSession', method: place.method, path });
  const entry = ledger.find('session', id);
  if (entry === undefined) return;
  if (succeeded(answer)) ledger.update(entry, { state: 'ended' });
  else await resources.end(entry);
}

/**
 * Sends a follow-up with another level to a session whose task runs, and fetches the session. Does nothing if no task
 * runs or the target offers no follow-ups.
 */
async function followRunning(context: ScenarioContext, session: SessionObservation): Promise<void> {
  const { record } = session.end;
  if (context.target.v3?.followUp === null || record['status'] !== 'running') return;
  const thinkingLevel = record['thinkingLevel'] === 'high' ? 'low' : 'high';
  // If the target accepts this slow task, the stop of the session ends it too.
  const body = { task: String(context.target.tasks.slow), ...getKeepMembers(context.target), thinkingLevel };
  await context.sessions.followUp(session.id, { body, invalid: true });
  session.end = await fetchSession(context, session.id);
  session.fetches.push(session.end);
}
