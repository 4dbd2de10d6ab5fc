import { guardAddress, type GuardedAddress } from '../../common/signed-urls.ts';
import { draw, sessionOptions } from '../../properties/arbitraries/index.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonValue, memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { OperationKey } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { followPages, listItems } from '../../common/followed-pages.ts';
import {
  endStates,
  fetchSession,
  hasEnded,
  poll,
  runFollowUp,
  runTask,
  type SessionObservation,
  type TaskObservation,
} from '../../common/observed-session.ts';
import { notWatchable } from '../../common/open-task-session.ts';

/** A V3 session with a screen size, and the stops with both strategies. */
export interface MessageSession {
  /** Requests to the URL of the screenshot; undefined without such a URL. */
  screenshot: GuardedAddress | undefined;
  first: SessionObservation;
  followUp: TaskObservation;
  /** Response to a follow-up without a task. */
  taskless: Exchange;
  /** A slow follow-up task, and the stop of that task alone. */
  stopped: StrategyStop;
  /** The stop of the whole session, and a follow-up that was sent after this stop. */
  ended: { answer: Exchange; after: Exchange; followUp: Exchange };
}

/**
 * Pages of the list of sessions: the pages up to the page that shows a given session, a page of one item, and a page
 * far after the last.
 */
export interface SessionLists {
  pages: Exchange[];
  one: Exchange;
  far: Exchange;
}

/** A deleted session: the answer to the deletion, and then a fetch, a follow-up and the list of sessions. */
export interface DeletedSession {
  answer: Exchange;
  fetched: Exchange;
  /** Response to a follow-up after the deletion; undefined if the target file names no follow-up operation. */
  followUp: Exchange | undefined;
  pages: Exchange[];
}

/** A stop with the strategy `task`, which ends only the current task, and a further task of the session. */
export interface StrategyStop {
  task: TaskObservation;
  /** A stop with an unknown strategy, and the session right after this stop. */
  unknown: { answer: Exchange; after: Exchange };
  answer: Exchange;
  /** Fetch of the session once it is no longer running, or at the settle deadline. */
  after: Exchange;
  /** A follow-up task that was sent after the stop. */
  next: TaskObservation;
}

const operations = ['v3.stopSession'] as const;

/** The screen size that the session requests, in pixels. */
export const screen = { browserScreenWidth: 1024, browserScreenHeight: 640 };

/** Creates one V3 session with follow-ups; records its stops. */
export const messageSession: Scenario<MessageSession> = {
  name: 'message-session',
  creates: 'one V3 session with a task and three follow-ups, one of them slow and stopped',
  spend: 'task',
  dispatches: 4,
  stateful: true,
  unavailable: (target) =>
    target.v3 !== null && target.v3.followUp === null
      ? 'the target file names no follow-up operation (v3.followUp)'
      : notWatchable(target, operations),
  run: (context) => context.live(() => driveMessages(context)),
};

async function driveMessages(context: ScenarioContext): Promise<MessageSession> {
  const task = context.target.tasks.succeed;
  const drawn = draw(sessionOptions(), { seed: context.seed, purpose: 'message-session' });
  const first = await runTask(context, { ...drawn, task, keepAlive: true, ...screen });
  if (first.end.record['status'] !== 'idle') throw new NotTestable('the session was not kept after its first task');
  const { id } = first;
  const screenshot = await guardAddress(context, 'the V3 screenshot', first.end.record['screenshotUrl']);
  const taskless = await context.sessions.followUp(id, { body: {}, invalid: true });
  const followUp = await runFollowUp(context, id, { task, keepAlive: true });
  const stopped = await stopTask(context, id);
  const ended = await endSession(context, id);
  return { first, screenshot, followUp, taskless, stopped, ended };
}

async function stopTask(context: ScenarioContext, id: string): Promise<StrategyStop> {
  const before = (await fetchSession(context, id)).record;
  const dispatched = await context.sessions.followUp(id, {
    body: { task: String(context.target.tasks.slow), keepAlive: true },
  });
  const first = await fetchSession(context, id);
  const task: TaskObservation = { request: {}, before, dispatched, fetches: [first], end: first };
  const { startDeadlineMs, settleDeadlineMs } = context.target.polling;
  const runs = ({ end }: TaskObservation): boolean => end.record['status'] === 'running';
  await poll(context, task, { id, until: runs, deadlineMs: startDeadlineMs });
  if (!succeeded(dispatched) || !runs(task)) throw new NotTestable('the slow task was not seen at work');
  const stop = (strategy: string, invalid = false): Promise<Exchange> =>
    context.operations.call('v3.stopSession', { path: [id], body: { strategy }, invalid });
  const unknown = { answer: await stop('pause', true), after: (await fetchSession(context, id)).exchange };
  const answer = await stop('task');
  const rests = ({ end }: TaskObservation): boolean => end.record['status'] !== 'running';
  await poll(context, task, { id, until: rests, deadlineMs: settleDeadlineMs });
  const after = task.end.exchange;
  const next = await runFollowUp(context, id, { task: context.target.tasks.succeed, keepAlive: true });
  return { task, unknown, answer, after, next };
}

async function endSession(context: ScenarioContext, id: string): Promise<MessageSession['ended']> {
  const answer = await context.operations.call('v3.stopSession', { path: [id], body: { strategy: 'session' } });
  const first = await fetchSession(context, id);
  const ending: TaskObservation = { request: {}, dispatched: answer, fetches: [first], end: first };
  const until = ({ end }: TaskObservation): boolean => endStates.includes(toText(end.record['status']));
  await poll(context, ending, { id, until, deadlineMs: context.target.polling.settleDeadlineMs });
  const followUp = await context.sessions.followUp(id, { body: { task: context.target.tasks.succeed } });
  return { answer, after: ending.end.exchange, followUp };
}

/**
 * Returns true in a run with the profile `full`, on a target that offers the operations. The contract shows neither
 * messages nor lists nor deletions.
 */
export function isBeyondOffered(context: ScenarioContext, keys: readonly OperationKey[]): boolean {
  return context.profile === 'full' && keys.every((key) => context.operations.offers(key));
}

/**
 * Deletes a session. Then fetches the session, sends a follow-up to it if the target offers follow-ups, and reads the
 * list of sessions.
 */
export async function deleteSession(context: ScenarioContext, id: string): Promise<DeletedSession> {
  const answer = await context.operations.call('v3.deleteSession', { path: [id] });
  const fetched = await context.operations.call('v3.getSession', { path: [id] });
  const body = { task: context.target.tasks.succeed };
  const isOffered = context.target.v3?.followUp !== null;
  const followUp = isOffered ? await context.sessions.followUp(id, { body, invalid: true }) : undefined;
  return { answer, fetched, followUp, pages: await sessionPages(context, id) };
}

/**
 * Reads the list of sessions up to the page that shows a given session, a page of one item, and a page far after the
 * last.
 */
export async function readSessionLists(context: ScenarioContext, id: string): Promise<SessionLists> {
  const list = (query: Record<string, number>): Promise<Exchange> =>
    context.operations.call('v3.listSessions', { query });
  const [one, far] = [await list({ page_size: 1 }), await list({ page: 1_000_000, page_size: 1 })];
  return { pages: await sessionPages(context, id), one, far };
}

function sessionPages(context: ScenarioContext, id: string): Promise<Exchange[]> {
  return followPages(
    (page: number | undefined) =>
      context.operations.call('v3.listSessions', { query: { page: page ?? 1, page_size: 100 } }),
    (page, pages) => {
      const sessions = listItems(page, 'sessions');
      const found = sessions.some((session) => memberAt(session, 'id') === id);
      return found || sessions.length < 100 ? undefined : pages.length + 1;
    },
  );
}

/** Returns true if a follow-up of the recording was accepted and has ended. */
export function didRun(task: TaskObservation): boolean {
  return succeeded(task.dispatched) && hasEnded(task);
}

/** The messages of a V3 session after its first task, after a follow-up, and after its stop. */
export interface SessionMessages {
  reads: MessageReads;
  followUp: TaskObservation;
  /** Messages after the newest message that was read before the follow-up; read when the follow-up has ended. */
  behind: Exchange;
  /** At most 100 messages of the session, read after the end of the follow-up task. */
  all: Exchange;
  /** At most 100 messages of the session, read after its stop; undefined if it was not stopped. */
  ended: Exchange | undefined;
}

/** Reads at most 100 messages of a session, without a cursor or after a message. */
export function readNewest(context: ScenarioContext, id: string, after?: string): Promise<Exchange> {
  const query = { limit: 100, ...(after === undefined ? {} : { after }) };
  return context.operations.call('v3.listMessages', { path: [id], query });
}

/**
 * Reads the messages of a session after a follow-up: those after the newest earlier message, and at most 100 messages
 * without a cursor.
 */
export async function readFollowUp(
  context: ScenarioContext,
  { id, reads, followUp }: { id: string; reads: MessageReads; followUp: TaskObservation },
): Promise<SessionMessages> {
  const newest = toText(memberAt(listItems(reads.all, 'messages').at(-1), 'id'));
  const behind = await readNewest(context, id, newest);
  return { reads, followUp, behind, all: await readNewest(context, id), ended: undefined };
}

/** The messages of one idle V3 session, read forwards and backwards with both cursors. */
export interface MessageReads {
  /** At most 100 messages of the session, read without a cursor. */
  all: Exchange;
  /** A page with the newest message; `newestTwo` is a page with the two newest messages. */
  newest: Exchange;
  newestTwo: Exchange;
  /** Pages of one message after the first message, up to an empty page. */
  forwards: Exchange[];
  /** Pages of two messages before the last message, up to an empty page. */
  backwards: Exchange[];
  /** Page of the messages after the last message. */
  end: Exchange;
}

/** Reads the messages of a session forwards and backwards. */
export async function readMessages(context: ScenarioContext, id: string): Promise<MessageReads> {
  const read = (query: Record<string, string | number>): Promise<Exchange> =>
    context.operations.call('v3.listMessages', { path: [id], query });
  const all = await read({ limit: 100 });
  const ids = listItems(all, 'messages').map((message) => toText(memberAt(message, 'id')));
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  return {
    all,
    newest: await read({ limit: 1 }),
    newestTwo: await read({ limit: 2 }),
    forwards: await followPages(
      (after: string | undefined) => read({ after: after ?? first, limit: 1 }),
      (page) => readId(listItems(page, 'messages').at(-1)),
    ),
    backwards: await followPages(
      (before: string | undefined) => read({ before: before ?? last, limit: 2 }),
      (page) => findOldest(page, ids),
    ),
    end: await read({ after: last, limit: 100 }),
  };
}

/** Returns the oldest message of a page, before which the next page continues. */
function findOldest(page: Exchange, ids: readonly string[]): string | undefined {
  const shown = listItems(page, 'messages').map((message) => toText(memberAt(message, 'id')));
  return shown.toSorted((left, right) => ids.indexOf(left) - ids.indexOf(right))[0];
}

function readId(message: JsonValue | undefined): string | undefined {
  const id = memberAt(message, 'id');
  return typeof id === 'string' ? id : undefined;
}
