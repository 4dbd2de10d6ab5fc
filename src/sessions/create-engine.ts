import { EventEmitter } from 'node:events';
import type { Costs, Meters } from '#contract/money.ts';
import { sessionStatus } from '#generated/states.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { LiveView } from '#browsers/index.ts';
import { type AttachmentRow, runUploadIds, messageUploadIds, listRunAttachments } from '#store/queries/attachments.ts';
import {
  type InterruptingMessage,
  type MessageRow,
  type NewMessage,
  interruptingMessages,
  findMessage,
  pendingMessages,
  cancelMessage,
} from '#store/queries/queue.ts';
import {
  readRunEvents,
  findRun,
  latestRun,
  pageOfRuns,
  runsBehind,
  runsIn,
  readRunSteps,
} from '#store/queries/runs.ts';
import type { EventRow, RunOfSession, StepRow } from '#store/tables/runs.ts';
import type { Scope, SessionRow } from '#store/tables/sessions.ts';
import {
  type SessionPage,
  changeSession,
  findSession,
  listSessions,
  rename,
  sessionIn,
  sessionsBehind,
  wasDeleted,
} from '#store/queries/sessions.ts';
import { type Created, createSession, type NewSession } from './create-session.ts';
import { sessionWorkspace } from './task-files.ts';
import { failSession } from './fail-session.ts';
import {
  type FollowedUp,
  type FollowUp,
  followUp,
  releaseSession,
  type ActiveLimitReached,
  waitForStart,
} from './follow-up.ts';
import { createInactivityWatch } from './inactivity.ts';
import { closedMeters, sessionMeters, runCosts, sessionCosts, spentBy } from './meters.ts';
import type { EngineDeps, EngineState } from './engine-deps.ts';
import { dispatchNext, send } from './queue.ts';
import { type OwnerCommands, createOwnerCommands } from './commands.ts';
import { recover } from './recover.ts';
import { createSandboxes } from './sandboxes.ts';
import { type RunningTasks, createRunningTasks } from './running-tasks.ts';
import { type SandboxWait, waitForSandbox } from './start-sandbox.ts';
import { type SessionViewer, watchSession } from './watch-session.ts';

/** The session engine. It does not depend on API versions: API operations render the results of its methods. */
export interface Engine extends OwnerCommands {
  create(scope: Scope, wanted: NewSession): Promise<Created>;
  /**
   * Dispatches a follow-up. Null when the session is not idle or `provided` of the follow-up returns false; the limit
   * when the project of the session has no free slot.
   */
  followUp(session: SessionRow, wanted: FollowUp): Promise<FollowedUp | ActiveLimitReached | null>;
  /** Queues a task for a starting session; null when the session is not starting or already has a task. */
  waitForStart(session: SessionRow, wanted: FollowUp): Promise<FollowedUp | null>;
  /** Waits while a session without a task starts; see `waitForSandbox`. */
  waitForSandbox(session: SessionRow, clientGone: AbortSignal): Promise<SandboxWait>;
  /**
   * Asks another holder of the session's profile to release the profile. Returns the id of this holder if it keeps the
   * profile, otherwise null.
   */
  profileHolder(session: SessionRow): Promise<string | null>;
  find(scope: Scope, id: string): MaybePromise<SessionRow | null>;
  /** Returns whether a session with that id existed in the scope and was deleted. */
  wasDeleted(scope: Scope, id: string): Promise<boolean>;
  list(scope: Scope, page: SessionPage): Promise<{ rows: SessionRow[]; total: number }>;
  /** Returns a run with its session; null for runs outside the scope. */
  findRun(scope: Scope, id: string): MaybePromise<RunOfSession | null>;
  /** Returns a numbered page of runs, newest first. */
  pageOfRuns(scope: Scope, wanted: Parameters<typeof pageOfRuns>[2]): ReturnType<typeof pageOfRuns>;
  /** Returns runs after a position in the list, newest first. */
  runsBehind(scope: Scope, wanted: Parameters<typeof runsBehind>[2]): ReturnType<typeof runsBehind>;
  /** Returns the latest run of a session. Throws for a session without runs. */
  latestRun(session: SessionRow): Promise<RunOfSession>;
  /** Returns sessions after a position in the list, newest first. */
  sessionsBehind(scope: Scope, wanted: Parameters<typeof sessionsBehind>[2]): Promise<SessionRow[]>;
  /** Changes the title of a session; null removes it. */
  rename(session: SessionRow, title: string | null): Promise<SessionRow>;
  /** Returns all runs of a session, oldest first. */
  runsIn(session: SessionRow): Promise<RunOfSession[]>;
  /** Returns the steps of a run, oldest first. */
  runSteps(runId: string): Promise<StepRow[]>;
  /** Returns the events of a run whose ids are above a given id, oldest first. */
  runEvents(runId: string, wanted: Parameters<typeof readRunEvents>[2]): Promise<EventRow[]>;
  /**
   * Sends a message to a resumable session. If the session rejects the message, writes nothing and returns the reason.
   */
  send(session: SessionRow, message: NewMessage): Promise<MessageRow | 'full' | 'ended'>;
  pendingMessages(session: SessionRow): Promise<MessageRow[]>;
  /** Returns the messages that interrupted a run, oldest first. */
  interruptingMessages(session: SessionRow): Promise<InterruptingMessage[]>;
  findMessage(session: SessionRow, id: number): Promise<MessageRow | null>;
  /** Cancels a pending message; null when it is not pending any more. */
  cancelMessage(message: MessageRow): Promise<MessageRow | null>;
  /** Returns the cost of all sessions of a project up to now, in micro-dollars. */
  spentBy(projectId: string): Promise<number>;
  /** Returns the workspace of a session, creating it for a V2 session on first use; null for sessions without one. */
  sessionWorkspace(session: SessionRow): Promise<string | null>;
  /** Returns the uploads attached to a run, in request order. */
  runAttachments(runId: string): Promise<AttachmentRow[]>;
  /** Returns the upload ids of each run; runs without uploads are absent. */
  runUploadIds(runIds: readonly string[]): Promise<ReadonlyMap<string, string[]>>;
  /** Returns the upload ids of each message; messages without uploads are absent. */
  messageUploadIds(messageIds: readonly number[]): Promise<ReadonlyMap<number, string[]>>;
  meters(session: SessionRow): Meters;
  costs(session: SessionRow): Costs;
  runCosts(found: RunOfSession): Costs;
  /** Returns a new mailbox address; null when mail is disabled. */
  newMailAddress(): string | null;
  /**
   * Redacts the secrets of a session in a text. Among several processes, returns an empty text for a session without a
   * sandbox in this process.
   */
  hide(sessionId: string, text: string): string;
  /** Shows the browser of a living session to a viewer; null without a browser in this process. */
  watch(sessionId: string, viewer: SessionViewer): Promise<LiveView | null>;
  /** Counts the running tasks; `finish` waits for them and admits no further tasks. */
  readonly tasks: Pick<RunningTasks, 'count' | 'finish'>;
  /** Ends running tasks as crashed, and all browsers and timers. Idle sessions stay idle. */
  close(): Promise<void>;
}

/** Starts the engine and recovers the sessions of an earlier process. */
export async function createEngine(deps: EngineDeps): Promise<Engine> {
  const inactivity = createInactivityWatch();
  const background = createBackground(deps);
  const closing = new AbortController();
  const tasks = createRunningTasks();
  const engine: EngineState = {
    ...deps,
    sandboxes: createSandboxes((sessionId) => giveBack(deps, sessionId)),
    closing: closing.signal,
    // Each waiting follow-up adds a listener.
    moves: new EventEmitter().setMaxListeners(0),
    tasks,
    inBackground: background.start,
    rearmInactivity: (usedAtMs) => inactivity.rearm(engine, usedAtMs),
    goOn: (sessionId) => (tasks.isFinishing ? releaseSession(engine, sessionId) : dispatchNext(engine, sessionId)),
    begun: new Set(),
    starting: new Set(),
  };
  const byOwner = createOwnerCommands(engine);
  await recover(engine);
  return {
    create: (scope, wanted) => createSession(engine, scope, wanted),
    followUp: (session, wanted) => followUp(engine, session, wanted),
    waitForStart: (session, wanted) => waitForStart(engine, session, wanted),
    waitForSandbox: (session, clientGone) => waitForSandbox(engine, session, clientGone),
    profileHolder: (session) => deps.browserProfiles.otherHolder(session.id, session.profileId),
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
    runSteps: (runId) => readRunSteps(engine.db, runId),
    runEvents: (runId, wanted) => readRunEvents(engine.db, runId, wanted),
    send: (session, message) => send(engine, session, message),
    interruptingMessages: (session) => interruptingMessages(engine.db, session.id),
    pendingMessages: (session) => pendingMessages(engine.db, session.id),
    findMessage: (session, id) => findMessage(engine.db, session.id, id),
    cancelMessage: (message) => cancelMessage(engine.db, message),
    spentBy: (projectId) => spentBy(engine, projectId),
    ...byOwner,
    sessionWorkspace: (session) => sessionWorkspace(engine, session),
    runAttachments: (runId) => listRunAttachments(engine.db, runId),
    runUploadIds: (runIds) => runUploadIds(engine.db, runIds),
    messageUploadIds: (messageIds) => messageUploadIds(engine.db, messageIds),
    meters: (session) => sessionMeters(engine, session),
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
      // Recordings close before the host, whose encoder writes the last frames.
      await engine.recordings.close();
      // The host closes before background work is awaited, because some of it waits for browsers to end.
      await engine.host.close();
      await background.settled();
      await engine.sandboxes.allGone();
    },
  };
}

/**
 * Redacts the secrets of a session in a text. Without a sandbox of the session, returns the text unchanged in a
 * single-process service. Otherwise returns an empty text, because only the owner of the session knows its secrets.
 */
function hide({ owners, sandboxes }: EngineState, sessionId: string, text: string): string {
  const sandbox = sandboxes.get(sessionId);
  if (owners.self !== null && sandbox === undefined) return '';
  return sandbox === undefined ? text : sandbox.known.redactor().text(text);
}

/** Releases the profile lock of a session. A failure is logged, and the next start of the service releases the lock. */
async function giveBack({ browserProfiles, log }: EngineDeps, sessionId: string): Promise<void> {
  try {
    await browserProfiles.release(sessionId);
  } catch (error) {
    log.error({ session: sessionId, err: error }, 'a profile was not given back');
  }
}

async function endAll(engine: EngineState): Promise<void> {
  for (const id of engine.sandboxes.ids()) {
    const session = await sessionIn(engine.db, id);
    if (session === undefined) throw new Error(`there is no session ${id}`);
    if (engine.owners.isElsewhere(session) || (engine.owners.self !== null && session.owner === null)) {
      // This process has lost the session. Other processes record the end of its task.
      engine.sandboxes.endTasks(id, 'stopped');
      await engine.sandboxes.close(id);
      continue;
    }
    if (session.status === sessionStatus.running) {
      await failSession(engine, id, { reason: 'the service shut down', kind: 'shutdown' });
      continue;
    }
    await changeSession(engine.db, { ...closedMeters(engine, session), id });
    engine.sandboxes.endTasks(id, 'shutdown');
    await engine.sandboxes.close(id);
  }
}

/** Creates a runner of background work: `start` logs failures as errors, and `settled` waits for all work. */
function createBackground({ log, storageDeadline }: EngineDeps): {
  start: EngineState['inBackground'];
  settled: () => Promise<void>;
} {
  const running = new Set<Promise<void>>();
  return {
    start(name, work) {
      const promise = storageDeadline
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
