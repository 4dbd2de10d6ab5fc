import { AsyncLocalStorage } from 'node:async_hooks';
import type { SelectQueryBuilder } from 'kysely';
import { limitOf } from '#contract/rule-book.ts';
import { queuedRun } from '#store/queries/runs.ts';
import type { SessionRow, Tables } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';

/** Watches for idle sessions that nobody uses: one timer for all of them. */
export interface InactivityWatch {
  /**
   * Looks again at when the next session times out, or its browser goes. A session that has been used at `usedAtMs` has its whole time
   * before it: the timer comes then at the latest and looks again, and nobody has to look now. @defaultValue looks in any case
   */
  rearm(engine: EngineState, usedAtMs?: number): Promise<void>;
  close(): void;
}

/** A look at when something is due: what it knows of sessions that were used since it began. */
interface Look {
  /** When the first of those may be due, at the earliest. */
  atMs: number;
}

/** A watch without a timer; `rearm` sets it. */
export function createInactivityWatch(): InactivityWatch {
  let cancel: (() => void) | undefined;
  /** When the timer comes; null without one. */
  let armedFor: number | null = null;
  let closed = false;
  /** Those under way, the oldest first. */
  const looks = new Set<Look>();
  // The timer is everybody's: what it does is no part of the request that happened to set it.
  const outside = AsyncLocalStorage.snapshot();
  const arm = (engine: EngineState, dueMs: number): void => {
    cancel?.();
    cancel = undefined;
    armedFor = null;
    if (closed || dueMs === Number.POSITIVE_INFINITY) return;
    armedFor = dueMs;
    cancel = engine.clock.at(dueMs, () => {
      armedFor = null;
      outside(() => engine.inBackground('time out idle sessions', () => timeOut(engine)));
    });
  };
  const look = async (engine: EngineState): Promise<void> => {
    const own: Look = { atMs: Number.POSITIVE_INFINITY };
    looks.add(own);
    try {
      const dueMs = await nextDue(engine);
      // One that began later and is there already knows better.
      if (!looks.has(own)) return;
      for (const one of looks) {
        looks.delete(one);
        if (one === own) break;
      }
      arm(engine, Math.min(dueMs ?? Number.POSITIVE_INFINITY, own.atMs));
    } finally {
      looks.delete(own);
    }
  };
  return {
    async rearm(engine, usedAtMs) {
      if (usedAtMs === undefined) return look(engine);
      // It may have been written behind what a look under way has read.
      const atMs = usedAtMs + leastMs(engine);
      for (const one of looks) one.atMs = Math.min(one.atMs, atMs);
      if (armedFor === null || armedFor > atMs) arm(engine, atMs);
    },
    close() {
      closed = true;
      cancel?.();
    },
  };
}

/** When something happens to an idle session the next time, in milliseconds since the epoch; null when nothing will. */
async function nextDue(engine: EngineState): Promise<number | null> {
  const oldest = await idle(engine).select('active_at').orderBy('active_at').limit(1).executeTakeFirst();
  const lingering = await lingeringSessions(engine)
    .select('active_at')
    .orderBy('active_at')
    .limit(1)
    .executeTakeFirst();
  const dues = [
    ...(oldest === undefined ? [] : [oldest.active_at + engine.limits.inactivityMs]),
    ...(lingering === undefined ? [] : [lingering.active_at + lingerMs(engine)]),
  ];
  return dues.length === 0 ? null : Math.min(...dues);
}

/** Ends an idle session that nobody uses; without effect on any other, and where the condition does not hold when it is written. */
export async function timeOutSession(
  engine: EngineState,
  sessionId: string,
  onlyIf: (session: SessionRow) => boolean = () => true,
): Promise<void> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'inactivity' },
    onlyIf,
    set: (seen) => closedMeters(engine, seen.session),
  });
  if (moved !== null) await engine.sandboxes.close(sessionId);
}

async function timeOut(engine: EngineState): Promise<void> {
  const unusedSince = engine.clock.now() - engine.limits.inactivityMs;
  for (const { id } of await idle(engine).select('id').where('active_at', '<=', unusedSince).execute()) {
    // It may have worked on a task since it was listed.
    await timeOutSession(
      engine,
      id,
      ({ active_at: activeAt }) => activeAt <= engine.clock.now() - engine.limits.inactivityMs,
    );
  }
  const unwatchedSince = engine.clock.now() - lingerMs(engine);
  for (const { id } of await lingeringSessions(engine).select('id').where('active_at', '<=', unwatchedSince).execute())
    await letGo(engine, id, { usedBefore: unwatchedSince });
  await engine.rearmInactivity();
}

/** No session that was used just now times out, or loses its browser, before this has passed. */
function leastMs(engine: EngineState): number {
  return Math.min(engine.limits.inactivityMs, lingerMs(engine));
}

function lingerMs({ rules }: EngineState): number {
  return limitOf(rules, 'runBrowserLinger');
}

function idle({ db, owners }: EngineState) {
  const all = db.selectFrom('sessions').where('status', '=', 'idle').where('resumable', '=', 0);
  // The browser of another process is that one's to end.
  return owners.self === null
    ? all
    : all.where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', owners.self)]));
}

/** Which browser is released. */
interface Release {
  /** The session was last used at this time or before, in milliseconds since the epoch. */
  readonly usedBefore: number;
  /** Statuses in which the browser is released, also of a session that does not outlive its browser. @defaultValue idle, of others alone */
  readonly statuses?: readonly ('idle' | 'running')[];
}

/**
 * Releases the browser of an idle session; the session keeps its status, and its next run starts a new browser. Without effect when the
 * session has another status, was used later, or has no browser.
 */
export async function letGo(engine: EngineState, sessionId: string, release: Release): Promise<void> {
  const { usedBefore, statuses } = release;
  const released = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', sessionId)
        .where('status', 'in', statuses ?? ['idle'])
        .where('resumable', 'in', statuses === undefined ? [1] : [0, 1])
        .where('active_at', '<=', usedBefore)
        .where('browser_since', 'is not', null)
        .executeTakeFirst();
      if (session === undefined) return null;
      await trx.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', sessionId).execute();
      // Inside the transaction: a run that is dispatched after it finds no browser, and starts a new one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  await released?.gone;
}

/** The idle sessions that outlive their browser and still have one: a few of many, found by the browsers of this process. */
function lingeringSessions({ db, sandboxes }: EngineState): SelectQueryBuilder<Tables, 'sessions', object> {
  const ids = sandboxes.ids();
  return db
    .selectFrom('sessions')
    .where('id', 'in', ids.length === 0 ? [''] : ids)
    .where('status', '=', 'idle')
    .where('resumable', '=', 1)
    .where('browser_since', 'is not', null);
}

/** Gives up the sandbox that starts for a session which outlives it: the session is idle at once, and nothing starts for nothing. */
export async function giveUpStart(engine: EngineState, sessionId: string): Promise<void> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'sandboxReady' },
    onlyIf: (session) => session.resumable === 1,
    set: (seen) => closedMeters(engine, seen.session),
    provided: async (trx) => (await queuedRun(trx, sessionId)) === undefined,
    // Inside the transaction: a run that is dispatched after it finds no sandbox, and starts a new one.
    also: async () => ({ gone: engine.sandboxes.close(sessionId) }),
  });
  if (moved === null) return;
  await moved.also?.gone;
  await engine.goOn(sessionId);
}

/** Idle browsers of sessions that outlive them are few: the one that was not used for longest goes first. */
export async function letGoOfTooMany(engine: EngineState): Promise<void> {
  const lingering = await lingeringSessions(engine).select(['id', 'active_at']).orderBy('active_at', 'desc').execute();
  const tooMany = lingering.slice(limitOf(engine.rules, 'lingeringBrowsers'));
  for (const { id, active_at: usedBefore } of tooMany) await letGo(engine, id, { usedBefore });
}
