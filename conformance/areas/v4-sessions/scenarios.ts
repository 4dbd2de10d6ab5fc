import { tryCredentials } from '../../common/credentials.ts';
import { draw, runOptions } from '../../properties/arbitraries/index.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { createJob, isOver, JobRefused, watchJob } from '../../common/observed-job.ts';
import { notOffered } from '../../core/operations.ts';
import { runBody } from '../../common/probe-bodies.ts';
import { followPages, listItems, readNextCursor } from '../../common/followed-pages.ts';
import type { RequestSpec } from '../../core/request.ts';

/** A V4 session whose run has ended. The session got a title, lost it by a request, and was then deleted. */
export interface RunSession {
  sessionId: string;
  deleted: { answer: Exchange; fetched: Exchange; again: Exchange; listed: Exchange };
}

const operations = ['v4.listSessions', 'v4.getSession', 'v4.updateSession', 'v4.deleteSession'] as const;

/**
 * Creates one V4 session with a run of drawn options. After the end of the run, gives the session a title, removes the
 * title, and deletes the session.
 */
export const runSession: Scenario<RunSession> = {
  name: 'run-session',
  creates: 'one V4 session with a run, which gets a title and is deleted after the run',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: (target) => notOffered(target, operations),
  run: (context) => context.live(() => driveSession(context)),
};

async function driveSession(context: ScenarioContext): Promise<RunSession> {
  const drawn = draw(runOptions(), { seed: context.seed, purpose: 'run-session' });
  const body = { ...drawn, ...runBody(context.target, context.target.tasks.succeed) };
  const { id, dispatched } = await createJob(context.jobs.run, body);
  await watchJob(context, context.jobs.run, { id, until: isOver, deadlineMs: context.target.polling.taskDeadlineMs });
  const sessionId = toText(memberAt(dispatched.json, 'sessionId'));
  for (const title of [givenTitle, null]) await editTitle(context, sessionId, { title });
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
  return { sessionId, deleted };
}

/** Views of a V4 session with two runs that have ended one after the other. */
export interface RunViews {
  sessionId: string;
  /** Events of the first run. */
  events: EventPages;
  lists: RunLists;
  /** Runs of the session of the cancelled run on one page; undefined without such a session. */
  ofOther: Exchange | undefined;
  edits: SessionEdits;
  /** Attachments of the first run, which was created without attachments. */
  attachments: Exchange;
  /** Cancels of runs that had ended: of the first run, and of a run that was cancelled before. */
  cancels: LateCancel[];
}

/** The cancel of a run that has ended. */
export interface LateCancel {
  /** Description of the run, for messages. */
  what: string;
  /** The record of the run before the cancel; `after` is the record after the cancel. */
  before: Exchange;
  answer: Exchange;
  after: Exchange;
}

/** Operations that {@link readRunViews} sends. */
export const viewOperations = [
  'v4.getRun',
  'v4.getRunStatus',
  'v4.cancelRun',
  'v4.listRunEvents',
  'v4.listRuns',
  'v4.listSessions',
  'v4.getSession',
  'v4.updateSession',
  'v4.listAttachments',
] as const;

/** The runs whose views are read; `cancelled` is a run of another session that was cancelled, undefined without one. */
interface ViewedRuns {
  sessionId: string;
  first: { id: string; created: Exchange };
  cancelled: { id: string; created: Exchange } | undefined;
}

/** Reads the views of a session whose runs have ended, changes its title, and cancels runs that have ended. */
export async function readRunViews(
  context: ScenarioContext,
  { sessionId, first, cancelled }: ViewedRuns,
): Promise<RunViews> {
  const events = await readEventPages(context, first);
  const lists = await readRunLists(context, sessionId);
  const edits = await editSession(context, sessionId);
  const attachments = await context.operations.call('v4.listAttachments', { path: [first.id] });
  const cancels = [await cancelEnded(context, first.id, 'a V4 run that was completed and then cancelled')];
  if (cancelled !== undefined)
    cancels.push(await cancelEnded(context, cancelled.id, 'a V4 run that was cancelled twice'));
  const otherId = memberAt(cancelled?.created.json, 'sessionId');
  const ofOther = typeof otherId === 'string' ? await listRuns(context, otherId) : undefined;
  return { sessionId, events, lists, ofOther, edits, attachments, cancels };
}

/** Lists the runs of a session on one page. */
function listRuns({ operations: api }: ScenarioContext, sessionId: string): Promise<Exchange> {
  return api.call('v4.listRuns', { query: { sessionId, limit: 100 } });
}

async function cancelEnded({ operations: api }: ScenarioContext, id: string, what: string): Promise<LateCancel> {
  const before = await api.call('v4.getRun', { path: [id] });
  const answer = await api.call('v4.cancelRun', { path: [id] });
  return { what, before, answer, after: await api.call('v4.getRun', { path: [id] }) };
}

/**
 * Response to another run for a session while one of its runs is active, and the runs of the session right before and
 * after this request.
 */
export interface DirectRun {
  before: Exchange;
  answer: Exchange;
  after: Exchange;
}

/**
 * Sends a run for a session whose run is active. Returns undefined without a session, and if the target does not list
 * runs.
 */
export async function sendDirectRun(context: ScenarioContext, created: Exchange): Promise<DirectRun | undefined> {
  const sessionId = memberAt(created.json, 'sessionId');
  if (typeof sessionId !== 'string' || !context.operations.offers('v4.listRuns')) return undefined;
  const before = await listRuns(context, sessionId);
  const body = { ...runBody(context.target, context.target.tasks.succeed), sessionId };
  const answer = await context.operations.probe('run', 'v4.createRun', { body });
  return { before, answer, after: await listRuns(context, sessionId) };
}

/**
 * Creates a slow run in a new session, and polls until the run is running or the start
 * deadline has passed. Throws JobRefused if the creation is refused or its answer has no id, and NotTestable if the run
 * has ended by then.
 */
export async function beginSlowRun(context: ScenarioContext): Promise<{ id: string; created: Exchange }> {
  const created = await context.jobs.run.create(runBody(context.target, String(context.target.tasks.slow)));
  const id = context.jobs.run.readId(created);
  if (!succeeded(created) || id === undefined) throw new JobRefused('run', created);
  const until = ({ status }: { status: unknown }): boolean => status === 'running';
  const looks = await watchJob(context, context.jobs.run, {
    id,
    until,
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  if (looks.at(-1)?.phase === 'pending') return { id, created };
  throw new NotTestable('the slow run had ended before anything could be done beside it');
}

/** Lists of V4 runs and sessions, read while a session with several runs is idle. */
interface RunLists {
  /** First page (100 runs) of the project's runs, including those of other clients. */
  runs: Exchange;
  /** The runs of the session, read as a single page of the list. */
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
    ofSession: await listRuns(context, sessionId),
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

/** Changes of a V4 session's title, each with a fetch of the session after the change. */
export interface SessionEdits {
  titled: Edit;
  /** Change to a title that is one character too long. */
  tooLong: Edit;
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

/** Sets a title of a session, and then a title that is too long. */
async function editSession(context: ScenarioContext, id: string): Promise<SessionEdits> {
  const titled = await editTitle(context, id, { title: givenTitle });
  return { titled, tooLong: await editTitle(context, id, { title: 't'.repeat(titleMax + 1), invalid: true }) };
}

async function editTitle(
  { operations: api }: ScenarioContext,
  id: string,
  { title, invalid = false }: { title: string | null; invalid?: boolean },
): Promise<Edit> {
  const answer = await api.call('v4.updateSession', { path: [id], body: { title }, invalid });
  return { answer, after: await api.call('v4.getSession', { path: [id] }) };
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
  return { runId: run.id, all, single, behindSecond, atAddress: await readEventsUrl(context, run.created) };
}

function numberAt(page: Exchange, member: string): number | undefined {
  const value = memberAt(page.json, member);
  return typeof value === 'number' ? value : undefined;
}

/**
 * Requests the `eventsUrl` of a created run with the key. Returns undefined for a URL on another host, which must not
 * receive the key.
 */
async function readEventsUrl(context: ScenarioContext, created: Exchange): Promise<Exchange | undefined> {
  const address = memberAt(created.json, 'eventsUrl');
  if (typeof address !== 'string' || !URL.canParse(address, context.target.url)) return undefined;
  const { href, origin } = new URL(address, context.target.url);
  if (origin !== new URL(context.target.url).origin) return undefined;
  const spec: RequestSpec = { generation: 'other', operation: 'eventsUrl', method: 'GET', path: href };
  return context.send(spec);
}
