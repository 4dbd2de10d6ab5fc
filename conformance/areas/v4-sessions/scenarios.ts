import { tryCredentials } from '../../common/credentials.ts';
import { draw, runOptions } from '../../properties/arbitraries/index.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { createJob, isOver, JobRefused, watchJob } from '../../common/observed-job.ts';
import { notWatchable } from '../../common/open-task-session.ts';
import { runBody } from '../../common/probe-bodies.ts';
import { followPages, listItems, readNextCursor } from '../../common/followed-pages.ts';
import type { RequestSpec } from '../../core/request.ts';

/** A V4 session with three runs one after the other. */
export interface RunSession {
  sessionId: string;
  /** A run that achieves its goal. */
  first: CompletedRun;
  events: EventPages;
  /** A slow run that continues the session and is cancelled. */
  second: CancelledRun;
  /** A third run that ends by itself. */
  third: CompletedRun;
  lists: RunLists;
  edits: SessionEdits;
  /** Attachments of the first run, which was created without attachments. */
  attachments: Exchange;
  deleted: { answer: Exchange; fetched: Exchange; again: Exchange; listed: Exchange };
}

/** A run that ended by itself. */
export interface CompletedRun {
  id: string;
  created: Exchange;
  /** Every response of the status view. */
  statuses: Exchange[];
  /** The record right after the terminal status. `later` is the record after a further cancel request. */
  atEnd: Exchange;
  later: Exchange;
  /** Response to the cancel request after the end. */
  cancelled: Exchange;
}

/** A slow run that was cancelled while it was running. */
export interface CancelledRun {
  id: string;
  created: Exchange;
  /**
   * Response to another run for the session while the slow run is active, and the session's runs right before and after
   * this request.
   */
  direct: { before: Exchange; answer: Exchange; after: Exchange };
  /**
   * The record after the end of the run; `again` is the response to a second cancel, and `later` the record after the
   * second cancel.
   */
  atEnd: Exchange;
  again: Exchange;
  later: Exchange;
}

const operations = [
  'v4.getRun',
  'v4.getRunStatus',
  'v4.cancelRun',
  'v4.listRunEvents',
  'v4.listRuns',
  'v4.listSessions',
  'v4.getSession',
  'v4.updateSession',
  'v4.deleteSession',
  'v4.listAttachments',
] as const;

/** Creates one V4 session with follow-up runs; records its runs, lists and title changes. */
export const runSession: Scenario<RunSession> = {
  name: 'run-session',
  creates: 'one V4 session with three runs, one of them slow and cancelled',
  spend: 'task',
  dispatches: 3,
  stateful: true,
  unavailable: (target) => notWatchable(target, operations),
  run: (context) => context.live(() => driveSession(context)),
};

async function driveSession(context: ScenarioContext): Promise<RunSession> {
  const { succeed } = context.target.tasks;
  const drawn = draw(runOptions(), { seed: context.seed, purpose: 'run-session' });
  const first = await complete(context, { ...drawn, ...runBody(context.target, succeed) });
  const sessionId = toText(memberAt(first.created.json, 'sessionId'));
  const events = await readEventPages(context, first);
  const second = await cancelWorking(context, sessionId);
  const third = await complete(context, { ...runBody(context.target, succeed), sessionId });
  const lists = await readRunLists(context, sessionId);
  const edits = await editSession(context, sessionId);
  const attachments = await context.operations.call('v4.listAttachments', { path: [first.id] });
  await tryCredentials(context, [
    context.operations.request('v4.updateSession', { path: [sessionId], body: { title: 'svc-check' } }),
    context.operations.request('v4.deleteSession', { path: [sessionId] }),
  ]);
  const answer = await context.operations.call('v4.deleteSession', { path: [sessionId] });
  const deleted = {
    answer,
    fetched: await context.operations.call('v4.getSession', { path: [sessionId] }),
    again: await context.operations.call('v4.deleteSession', { path: [sessionId] }),
    listed: await context.operations.call('v4.listSessions', { query: { limit: 100 } }),
  };
  return { sessionId, first, events, second, third, lists, edits, attachments, deleted };
}

async function complete(context: ScenarioContext, body: ReturnType<typeof runBody>): Promise<CompletedRun> {
  const { id, dispatched: created } = await createJob(context.jobs.run, body);
  const deadlineMs = context.target.polling.taskDeadlineMs;
  const looks = await watchJob(context, context.jobs.run, { id, until: isOver, deadlineMs });
  const atEnd = (await context.jobs.run.look(id)).exchange;
  const cancelled = await context.operations.call('v4.cancelRun', { path: [id] });
  const later = (await context.jobs.run.look(id)).exchange;
  return { id, created, statuses: looks.map(({ exchange }) => exchange), atEnd, cancelled, later };
}

async function cancelWorking(context: ScenarioContext, sessionId: string): Promise<CancelledRun> {
  const { id, created } = await beginSlowRun(context, sessionId);
  const listed = (): Promise<Exchange> => context.operations.call('v4.listRuns', { query: { sessionId, limit: 100 } });
  const before = await listed();
  const answer = await context.operations.probe('run', 'v4.createRun', {
    body: { ...runBody(context.target, context.target.tasks.succeed), sessionId },
  });
  const direct = { before, answer, after: await listed() };
  // A run that has ended by itself no longer blocks: the next requests would not be about an active run.
  if (isOver(await context.jobs.run.look(id))) throw new NotTestable(endedBefore);
  await context.operations.call('v4.cancelRun', { path: [id] });
  const deadlineMs = context.target.polling.settleDeadlineMs;
  await watchJob(context, context.jobs.run, { id, until: isOver, deadlineMs });
  const atEnd = (await context.jobs.run.look(id)).exchange;
  const again = await context.operations.call('v4.cancelRun', { path: [id] });
  return { id, created, direct, atEnd, again, later: (await context.jobs.run.look(id)).exchange };
}

/**
 * Creates a slow run, in the given session or in a new session, and polls until the run is running or the start
 * deadline has passed. Throws JobRefused if the creation is refused or its answer has no id, and NotTestable if the run
 * ends before.
 */
export async function beginSlowRun(
  context: ScenarioContext,
  sessionId?: string,
): Promise<{ id: string; created: Exchange }> {
  const body = {
    ...runBody(context.target, String(context.target.tasks.slow)),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  const created = await context.jobs.run.create(body);
  const id = context.jobs.run.readId(created);
  if (!succeeded(created) || id === undefined) throw new JobRefused('run', created);
  const until = ({ status }: { status: unknown }): boolean => status === 'running';
  const looks = await watchJob(context, context.jobs.run, {
    id,
    until,
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  if (looks.at(-1)?.phase === 'pending') return { id, created };
  throw new NotTestable(endedBefore);
}

const endedBefore = 'the slow run had ended before anything could be done beside it';

/** Lists of V4 runs and sessions, read while a session with several runs is idle. */
interface RunLists {
  /** First page (100 runs) of the project's runs, including those of other clients. */
  runs: Exchange;
  /** Runs of the session on one page. */
  ofSession: Exchange;
  /** Runs of the session, one on each page. */
  pages: Exchange[];
  /** Sessions of the project, two on each page, up to a maximum number of pages. */
  sessionPages: Exchange[];
  /** Sessions of the project on one page. */
  sessions: Exchange;
  /** The fetch of the session. */
  session: Exchange;
}

/** Maximum number of pages with two sessions. */
const sessionPagesMax = 10;

/** Reads the lists of runs and of sessions, and the record of the session. */
async function readRunLists(context: ScenarioContext, sessionId: string): Promise<RunLists> {
  const runs = (query: Record<string, string | number>): Promise<Exchange> =>
    context.operations.call('v4.listRuns', { query });
  const sessions = (query: Record<string, string | number>): Promise<Exchange> =>
    context.operations.call('v4.listSessions', { query });
  return {
    runs: await runs({ limit: 100 }),
    ofSession: await runs({ sessionId, limit: 100 }),
    pages: await followPages(
      (cursor: string | undefined) => runs({ sessionId, limit: 1, ...(cursor === undefined ? {} : { cursor }) }),
      readNextCursor,
    ),
    sessionPages: await followPages(
      (cursor: string | undefined) => sessions({ limit: 2, ...(cursor === undefined ? {} : { cursor }) }),
      (page, pages) => (pages.length < sessionPagesMax ? readNextCursor(page) : undefined),
    ),
    sessions: await sessions({ limit: 100 }),
    session: await context.operations.call('v4.getSession', { path: [sessionId] }),
  };
}

/** Changes of a V4 session's title, each with the session afterwards. */
export interface SessionEdits {
  titled: Edit;
  /** A title that is one character too long. */
  tooLong: Edit;
  cleared: Edit;
}

/** One change of the title and its effect. */
export interface Edit {
  answer: Exchange;
  after: Exchange;
}

/** The title that the suite sets. */
export const givenTitle = 'A title of the suite';
/** Maximum length of a title in characters. */
const titleMax = 255;

/** Sets a title of a session, then a title that is too long, and then null. */
async function editSession(context: ScenarioContext, id: string): Promise<SessionEdits> {
  const edit = async (title: string | null, invalid = false): Promise<Edit> => ({
    answer: await context.operations.call('v4.updateSession', { path: [id], body: { title }, invalid }),
    after: await context.operations.call('v4.getSession', { path: [id] }),
  });
  const titled = await edit(givenTitle);
  const tooLong = await edit('t'.repeat(titleMax + 1), true);
  return { titled, tooLong, cleared: await edit(null) };
}

/** The events of one run that has ended, read in several ways. */
export interface EventPages {
  runId: string;
  /** All events, up to the maximum of one page. */
  all: Exchange;
  /** Pages of one event each, read one after the other with `nextAfter`, up to an empty page. */
  single: Exchange[];
  /** Events after the second event. */
  behindSecond: Exchange;
  /** Response of the `eventsUrl` that the creation returned; undefined without such a URL on the target's host. */
  atAddress: Exchange | undefined;
}

/** Reads the events of a run that has ended. */
async function readEventPages(context: ScenarioContext, run: { id: string; created: Exchange }): Promise<EventPages> {
  const read = (query: Record<string, number>): Promise<Exchange> =>
    context.operations.call('v4.listRunEvents', { path: [run.id], query });
  const all = await read({ limit: 200 });
  const single = await followPages(
    (after: number | undefined) => read({ after: after ?? 0, limit: 1 }),
    (page) => (listItems(page, 'events').length === 0 ? undefined : numberAt(page, 'nextAfter')),
  );
  const second = listItems(all, 'events')[1];
  const behindSecond = await read({ after: Number(memberAt(second, 'id') ?? 0), limit: 200 });
  return { runId: run.id, all, single, behindSecond, atAddress: await openAddress(context, run.created) };
}

function numberAt(page: Exchange, member: string): number | undefined {
  const value = memberAt(page.json, member);
  return typeof value === 'number' ? value : undefined;
}

// Requests the `eventsUrl` of a created run with the key. Returns undefined for a URL on another host, which must not
// receive the key.
async function openAddress(context: ScenarioContext, created: Exchange): Promise<Exchange | undefined> {
  const address = memberAt(created.json, 'eventsUrl');
  if (typeof address !== 'string' || !URL.canParse(address, context.target.url)) return undefined;
  const { href, origin } = new URL(address, context.target.url);
  if (origin !== new URL(context.target.url).origin) return undefined;
  const spec: RequestSpec = { generation: 'other', operation: 'eventsUrl', method: 'GET', path: href };
  return context.send(spec);
}
