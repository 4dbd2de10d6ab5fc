import { EventEmitter } from 'node:events';
import type { Costs, Meters } from '#contract/money.ts';
import type { Soon } from '#lib/maybe-promise.ts';
import type { LiveView } from '#browsers/index.ts';
import { type AttachmentRow, attachedIds, attachedIdsOfMessages, attachmentsOf } from '#store/queries/attachments.ts';
import {
  type CuttingMessage,
  type MessageRow,
  type NewMessage,
  cuttingMessages,
  findMessage,
  pendingMessages,
  takeBack,
} from '#store/queries/queue.ts';
import { eventsOf, findRun, latestRun, pageOfRuns, runsBehind, runsIn, stepsOf } from '#store/queries/runs.ts';
import type { EventRow, RunOfSession, Scope, SessionRow, StepRow } from '#store/schema.ts';
import {
  type SessionPage,
  findSession,
  listSessions,
  rename,
  sessionsBehind,
  wasDeleted,
} from '#store/queries/sessions.ts';
import { type Created, createSession, type NewSession } from './create-session.ts';
import { workspaceOf } from './task-files.ts';
import { failSession } from './end-run.ts';
import { type FollowedUp, type FollowUp, followUp, handOver, type NoRoom, waitForStart } from './follow-up.ts';
import { createInactivityWatch } from './inactivity.ts';
import { closedMeters, metersOf, runCosts, sessionCosts, spentBy } from './meters.ts';
import type { EngineParts, EngineState } from './parts.ts';
import { goOn, send } from './queue.ts';
import { type ByOwner, createByOwner } from './commands.ts';
import { recover } from './recover.ts';
import { createSandboxes } from './sandboxes.ts';
import { type TasksUnderWay, createTasksUnderWay } from './tasks-under-way.ts';
import { type SandboxWait, waitForSandbox } from './start-sandbox.ts';
import { type SessionViewer, watchSession } from './watch-session.ts';

/** Sessions in motion. Version-blind: a generation renders what this returns and never reaches behind it. */
export interface Engine extends ByOwner {
  create(scope: Scope, wanted: NewSession): Promise<Created>;
  /** Null when the session is not idle. */
  followUp(session: SessionRow, wanted: FollowUp): Promise<FollowedUp | NoRoom | null>;
  /** Null when the session is not starting, or a task waits for it already. */
  waitForStart(session: SessionRow, wanted: FollowUp): Promise<FollowedUp | null>;
  /** Waits while a session without a task starts; see `waitForSandbox`. */
  waitForSandbox(session: SessionRow, clientGone: AbortSignal): Promise<SandboxWait>;
  /** Who else has the profile of a session; null for nobody, and for a session without one. */
  profileHolder(session: SessionRow): Promise<string | null>;
  find(scope: Scope, id: string): Soon<SessionRow | null>;
  /** Whether the scope has deleted a session of that id. */
  wasDeleted(scope: Scope, id: string): Promise<boolean>;
  list(scope: Scope, page: SessionPage): Promise<{ rows: SessionRow[]; total: number }>;
  /** One run with its session; runs of other projects and generations do not exist for the scope. */
  findRun(scope: Scope, id: string): Soon<RunOfSession | null>;
  /** One page by number, newest first. */
  pageOfRuns(scope: Scope, wanted: Parameters<typeof pageOfRuns>[2]): ReturnType<typeof pageOfRuns>;
  /** The runs behind a place in the list, newest first. */
  runsBehind(scope: Scope, wanted: Parameters<typeof runsBehind>[2]): ReturnType<typeof runsBehind>;
  /** The latest run of a session that has one. */
  latestRun(session: SessionRow): Promise<RunOfSession>;
  /** The sessions behind a place in the list, newest first. */
  sessionsBehind(scope: Scope, wanted: Parameters<typeof sessionsBehind>[2]): Promise<SessionRow[]>;
  /** Gives a session another title; null for none. */
  rename(session: SessionRow, title: string | null): Promise<SessionRow>;
  /** All runs of a session, oldest first. */
  runsIn(session: SessionRow): Promise<RunOfSession[]>;
  /** The steps of a run, oldest first. */
  stepsOf(runId: string): Promise<StepRow[]>;
  /** The events of a run above an id, oldest first. */
  eventsOf(runId: string, wanted: Parameters<typeof eventsOf>[2]): Promise<EventRow[]>;
  /** Hands a message to a session that outlives its runs; a word when it takes none, and nothing was written. */
  send(session: SessionRow, message: NewMessage): Promise<MessageRow | 'full' | 'ended'>;
  pendingMessages(session: SessionRow): Promise<MessageRow[]>;
  /** The messages that have interrupted a run, oldest first. */
  cuttingMessages(session: SessionRow): Promise<CuttingMessage[]>;
  findMessage(session: SessionRow, id: number): Promise<MessageRow | null>;
  /** Takes a message back; null when it does not wait any more. */
  takeBack(message: MessageRow): Promise<MessageRow | null>;
  /** What all sessions of a project have cost up to now, in micro-dollars. */
  spentBy(projectId: string): Promise<number>;
  /** The workspace of a session; made for a V2 session that has none yet. Null where there is none. */
  workspaceOf(session: SessionRow): Promise<string | null>;
  /** The uploads that belong to a run, in the order of its request. */
  attachmentsOf(runId: string): Promise<AttachmentRow[]>;
  /** Ids of the uploads of each of some runs; a run without any is not among them. */
  attachedIds(runIds: readonly string[]): Promise<ReadonlyMap<string, string[]>>;
  /** Ids of the uploads of each of some messages; a message without any is not among them. */
  attachedIdsOfMessages(messageIds: readonly number[]): Promise<ReadonlyMap<number, string[]>>;
  meters(session: SessionRow): Meters;
  costs(session: SessionRow): Costs;
  runCosts(found: RunOfSession): Costs;
  /** An address for a mailbox; null where there is no mail. */
  newMailAddress(): string | null;
  /** A text of a session without the secrets that are in use there. */
  hide(sessionId: string, text: string): string;
  /** Shows the browser of a living session to a viewer; null when it has none now. */
  watch(sessionId: string, viewer: SessionViewer): Promise<LiveView | null>;
  /** How many tasks run, and how to let them be the last. */
  readonly tasks: Pick<TasksUnderWay, 'count' | 'finish'>;
  /** Ends everything: running tasks as crashes, browsers, timers. Idle sessions stay idle. */
  close(): Promise<void>;
}

/** Starts the engine and finds again what an earlier process left. */
export async function createEngine(parts: EngineParts): Promise<Engine> {
  const inactivity = createInactivityWatch();
  const background = createBackground(parts);
  const closing = new AbortController();
  const tasks = createTasksUnderWay();
  const engine: EngineState = {
    ...parts,
    sandboxes: createSandboxes((sessionId) => giveBack(parts, sessionId)),
    closing: closing.signal,
    // One listener for each follow-up that waits.
    moves: new EventEmitter().setMaxListeners(0),
    tasks,
    inBackground: background.start,
    rearmInactivity: (usedAtMs) => inactivity.rearm(engine, usedAtMs),
    goOn: (sessionId) => (tasks.isFinishing ? handOver(engine, sessionId) : goOn(engine, sessionId)),
    begun: new Set(),
    starting: new Set(),
  };
  const byOwner = createByOwner(engine);
  await recover(engine);
  return {
    create: (scope, wanted) => createSession(engine, scope, wanted),
    followUp: (session, wanted) => followUp(engine, session, wanted),
    waitForStart: (session, wanted) => waitForStart(engine, session, wanted),
    waitForSandbox: (session, clientGone) => waitForSandbox(engine, session, clientGone),
    profileHolder: (session) => parts.browserProfiles.otherHolder(session.id, session.profile_id),
    find: (scope, id) => findSession(engine.db, scope, id),
    wasDeleted: (scope, id) => wasDeleted(engine.db, scope, id),
    list: (scope, page) => listSessions(engine.db, scope, page),
    findRun: (scope, id) => findRun(engine.db, scope, id),
    pageOfRuns: (scope, wanted) => pageOfRuns(engine.db, scope, wanted),
    runsBehind: (scope, wanted) => runsBehind(engine.db, scope, wanted),
    latestRun: (session) => latestRun(engine.db, session),
    sessionsBehind: (scope, wanted) => sessionsBehind(engine.db, scope, wanted),
    rename: (session, title) => rename(engine.db, session, title),
    runsIn: (session) => runsIn(engine.db, session),
    stepsOf: (runId) => stepsOf(engine.db, runId),
    eventsOf: (runId, wanted) => eventsOf(engine.db, runId, wanted),
    send: (session, message) => send(engine, session, message),
    cuttingMessages: (session) => cuttingMessages(engine.db, session.id),
    pendingMessages: (session) => pendingMessages(engine.db, session.id),
    findMessage: (session, id) => findMessage(engine.db, session.id, id),
    takeBack: (message) => takeBack(engine.db, message),
    spentBy: (projectId) => spentBy(engine, projectId),
    ...byOwner,
    workspaceOf: (session) => workspaceOf(engine, session),
    attachmentsOf: (runId) => attachmentsOf(engine.db, runId),
    attachedIds: (runIds) => attachedIds(engine.db, runIds),
    attachedIdsOfMessages: (messageIds) => attachedIdsOfMessages(engine.db, messageIds),
    meters: (session) => metersOf(engine, session),
    costs: (session) => sessionCosts(engine, session),
    runCosts: (found) => runCosts(engine, found),
    newMailAddress: () => engine.mail?.newAddress() ?? null,
    hide: (sessionId, text) => hide(engine, sessionId, text),
    watch: (sessionId, viewer) => watchSession(engine, sessionId, viewer),
    tasks,
    async close() {
      closing.abort();
      inactivity.close();
      await endAll(engine);
      // Before the host closes, whose encoder writes the last pictures.
      await engine.recordings.close();
      // Before the work in the background is waited for: some of it waits for browsers to end.
      await engine.host.close();
      await background.settled();
      await engine.sandboxes.allGone();
    },
  };
}

/** Only the owner of a session knows its secrets: another process shows nothing. */
function hide({ owners, sandboxes }: EngineState, sessionId: string, text: string): string {
  const sandbox = sandboxes.get(sessionId);
  if (owners.self !== null && sandbox === undefined) return '';
  return sandbox === undefined ? text : sandbox.known.redactor().text(text);
}

/** A profile that cannot be given back now is given back when the service starts the next time. */
async function giveBack({ browserProfiles, log }: EngineParts, sessionId: string): Promise<void> {
  try {
    await browserProfiles.release(sessionId);
  } catch (error) {
    log.error({ session: sessionId, err: error }, 'a profile was not given back');
  }
}

async function endAll(engine: EngineState): Promise<void> {
  for (const id of engine.sandboxes.ids()) {
    const session = await engine.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (engine.owners.isElsewhere(session) || (engine.owners.self !== null && session.owner === null)) {
      // It was taken away: whoever has it now has written down what became of it.
      engine.sandboxes.endTasks(id, 'stopped');
      await engine.sandboxes.close(id);
      continue;
    }
    if (session.status === 'running') {
      await failSession(engine, id, { reason: 'the service shut down', kind: 'shutdown' });
      continue;
    }
    await engine.db.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', id).execute();
    engine.sandboxes.endTasks(id, 'shutdown');
    await engine.sandboxes.close(id);
  }
}

/** Work that nobody awaits: its failures are logged as the bugs they are, and closing waits for it. */
function createBackground({ log, patience }: EngineParts): {
  start: EngineState['inBackground'];
  settled: () => Promise<void>;
} {
  const running = new Set<Promise<void>>();
  return {
    start(name, work) {
      const promise = patience
        .forWork(work)
        .catch((error: unknown) => log.error({ work: name, err: error }, 'background work failed'))
        .finally(() => running.delete(promise));
      running.add(promise);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
