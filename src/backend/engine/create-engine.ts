import type { Costs, Meters } from '#domain/money.ts';
import { type Scope, type SessionRow, findSession, listSessions } from '../storage/sessions.ts';
import { type Created, type NewSession, createSession } from './create-session.ts';
import { failSession } from './fail-session.ts';
import { type FollowUp, followUp } from './follow-up.ts';
import { createInactivityWatch } from './inactivity.ts';
import { closedMeters, metersOf, sessionCosts } from './meters.ts';
import type { EngineParts, EngineState } from './parts.ts';
import { recover } from './recover.ts';
import { createSandboxes } from './sandboxes.ts';
import { deleteSession, stopSession, stopTask } from './stop-session.ts';

/** Sessions in motion. Version-blind: a generation renders what this returns and never reaches behind it. */
export interface Engine {
  create(scope: Scope, wanted: NewSession): Promise<Created>;
  /** Null when the session is not idle. */
  followUp(session: SessionRow, wanted: FollowUp): Promise<SessionRow | null>;
  find(scope: Scope, id: string): Promise<SessionRow | null>;
  list(scope: Scope, page: { page: number; pageSize: number }): Promise<{ rows: SessionRow[]; total: number }>;
  stop(session: SessionRow, strategy: 'session' | 'task'): Promise<SessionRow>;
  remove(session: SessionRow): Promise<void>;
  meters(session: SessionRow): Meters;
  costs(session: SessionRow): Costs;
  /** Sends JPEG frames of a living session to a viewer; null when it has no browser. */
  watch(sessionId: string, viewer: (frame: Uint8Array) => void): Promise<View | null>;
  /** Ends the sandbox of a living session as a failure would; for fault injection. */
  crash(sessionId: string): Promise<void>;
  /** Ends everything: running tasks as crashes, browsers, timers. Idle sessions stay idle. */
  close(): Promise<void>;
}

/** One viewer of one browser. */
export interface View {
  /** Settles when the browser has ended. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts the engine and finds again what an earlier process left. */
export async function createEngine(parts: EngineParts): Promise<Engine> {
  const inactivity = createInactivityWatch();
  const background = createBackground(parts);
  const closing = new AbortController();
  const engine: EngineState = {
    ...parts,
    sandboxes: createSandboxes(),
    closing: closing.signal,
    inBackground: background.start,
    rearmInactivity: () => inactivity.rearm(engine),
  };
  await recover(engine);
  return {
    create: (scope, wanted) => createSession(engine, scope, wanted),
    followUp: (session, wanted) => followUp(engine, session, wanted),
    find: (scope, id) => findSession(engine.db, scope, id),
    list: (scope, page) => listSessions(engine.db, scope, page),
    stop: (session, strategy) => (strategy === 'task' ? stopTask(engine, session) : stopSession(engine, session)),
    remove: (session) => deleteSession(engine, session),
    meters: (session) => metersOf(engine, session),
    costs: (session) => sessionCosts(engine, session),
    watch: (sessionId, viewer) => watch(engine, sessionId, viewer),
    crash: (sessionId) => failSession(engine, sessionId, { reason: 'injected fault', kind: 'crash' }),
    async close() {
      closing.abort();
      inactivity.close();
      await endAll(engine);
      // Before the work in the background is waited for: some of it waits for browsers to end.
      await engine.host.close();
      await background.settled();
    },
  };
}

async function watch(
  engine: EngineState,
  sessionId: string,
  viewer: (frame: Uint8Array) => void,
): Promise<View | null> {
  const browser = engine.sandboxes.get(sessionId)?.browser;
  if (browser === undefined) return null;
  return { stop: await browser.watch(viewer), ended: browser.ended };
}

async function endAll(engine: EngineState): Promise<void> {
  for (const id of engine.sandboxes.ids()) {
    const session = await engine.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (session.status === 'running') {
      await failSession(engine, id, { reason: 'the service shut down', kind: 'shutdown' });
      continue;
    }
    await engine.db.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', id).execute();
    engine.sandboxes.endTask(id, 'shutdown');
    await engine.sandboxes.close(id);
  }
}

/** Work that nobody awaits: its failures are logged as the bugs they are, and closing waits for it. */
function createBackground({ log }: EngineParts): { start: EngineState['inBackground']; settled: () => Promise<void> } {
  const running = new Set<Promise<void>>();
  return {
    start(name, work) {
      const promise = work()
        .catch((error: unknown) => log.error({ work: name, err: error }, 'background work failed'))
        .finally(() => running.delete(promise));
      running.add(promise);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
