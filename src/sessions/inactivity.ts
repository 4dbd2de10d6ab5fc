import { AsyncLocalStorage } from 'node:async_hooks';
import { getLimit } from '#contract/rule-book.ts';
import { type SessionStatus, sessionStatus } from '#generated/states.ts';
import { queuedRun } from '#store/queries/runs.ts';
import { changeSession } from '#store/queries/sessions.ts';
import {
  type IdleSession,
  idleSessionsWithBrowser,
  releasableSession,
  timeoutCandidates,
} from '#store/queries/owned-sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { inTransaction } from '#store/transaction.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import { transition } from './transition.ts';

/** Times out unused idle sessions with a single timer. */
export interface InactivityWatch {
  /**
   * Sets the timer for the next session timeout or browser release. `usedAtMs` is the time at which a session was used.
   * With it, the database is not read: the timer fires at the earliest time at which this session can be due, or
   * before.
   * @defaultValue reads the next due time from the database
   */
  rearm(engine: EngineState, usedAtMs?: number): Promise<void>;
  close(): void;
}

/**
 * A pending search of the database for the next due session. It also considers sessions that are used during the
 * search.
 */
interface Look {
  /** Earliest time at which a session that was used during the search may be due. */
  atMs: number;
}

/** Creates a watch without a timer; `rearm` sets it. */
export function createInactivityWatch(): InactivityWatch {
  let cancel: (() => void) | undefined;
  /** Time at which the timer fires; null without a timer. */
  let armedFor: number | null = null;
  let closed = false;
  /** Pending searches of the database, oldest first. */
  const looks = new Set<Look>();
  // The timer is shared, so it must not run in the context of the request that set it.
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
      // A later check has finished first and has newer data.
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
      // The use may have been written after the pending check read the row.
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

/**
 * Returns when the next session times out or the next unused browser is released, in milliseconds since the epoch; null
 * if neither is due.
 */
async function nextDue(engine: EngineState): Promise<number | null> {
  const [oldest] = await timeoutCandidates(engine.db, engine.owners.self, { usedBefore: null, limit: 1 });
  const unused = (await idleWithBrowser(engine, null)).at(-1);
  const dues = [
    ...(oldest === undefined ? [] : [oldest.activeAtMs + engine.limits.inactivityMs]),
    ...(unused === undefined ? [] : [unused.activeAtMs + idleBrowserMs(engine)]),
  ];
  return dues.length === 0 ? null : Math.min(...dues);
}

/**
 * Times out an idle session. Does nothing for any other session, or when `onlyIf` returns false at the time of writing.
 */
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
  const unused = { usedBefore: unusedSince, limit: null };
  for (const { id } of await timeoutCandidates(engine.db, engine.owners.self, unused)) {
    // The session may have worked since it was listed.
    await timeOutSession(engine, id, ({ activeAt }) => activeAt <= engine.clock.now() - engine.limits.inactivityMs);
  }
  const unwatchedSince = engine.clock.now() - idleBrowserMs(engine);
  for (const { id } of await idleWithBrowser(engine, unwatchedSince))
    await releaseBrowser(engine, id, { usedBefore: unwatchedSince });
  await engine.rearmInactivity();
}

/** Returns the minimum time in milliseconds until a session that was just used times out or loses its browser. */
function leastMs(engine: EngineState): number {
  return Math.min(engine.limits.inactivityMs, idleBrowserMs(engine));
}

function idleBrowserMs({ rules }: EngineState): number {
  return getLimit(rules, 'runBrowserLinger');
}

/** Conditions for the release of a browser. */
interface Release {
  /**
   * Latest time of the session's last use, inclusive, in milliseconds since the epoch. A session that was used later
   * keeps its browser.
   */
  readonly usedBefore: number;
  /**
   * Statuses in which a session releases its browser, whether or not the session is resumable.
   * @defaultValue idle, for resumable sessions only
   */
  readonly statuses?: readonly SessionStatus[];
}

/**
 * Releases the browser of a session, by default of an idle resumable session. The session keeps its status, and its
 * next run starts a new browser. Does nothing when the session has another status, was used later, or has no browser.
 */
export async function releaseBrowser(engine: EngineState, sessionId: string, release: Release): Promise<void> {
  const { usedBefore, statuses } = release;
  const released = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await releasableSession(trx, {
        id: sessionId,
        usedBefore,
        statuses: statuses ?? [sessionStatus.idle],
        resumable: statuses === undefined ? [1] : [0, 1],
      });
      if (session === undefined) return null;
      await changeSession(trx, { ...closedMeters(engine, session), id: sessionId });
      // Inside the transaction: a run that is dispatched after the transaction finds no browser and starts a new one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  await released?.gone;
}

/** Returns the idle resumable sessions with a browser in this process, the most recently used first. */
function idleWithBrowser({ db, sandboxes }: EngineState, usedBefore: number | null): Promise<IdleSession[]> {
  return idleSessionsWithBrowser(db, sandboxes.ids(), { usedBefore });
}

/**
 * Cancels the start of a resumable session's sandbox, unless a run waits for the sandbox. The session becomes idle at
 * once.
 */
export async function cancelStart(engine: EngineState, sessionId: string): Promise<void> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'sandboxReady' },
    onlyIf: (session) => session.resumable === 1,
    set: (seen) => closedMeters(engine, seen.session),
    provided: async (trx) => (await queuedRun(trx, sessionId)) === undefined,
    // Inside the transaction: a run that is dispatched after the transaction finds no sandbox and starts a new one.
    also: async () => ({ gone: engine.sandboxes.close(sessionId) }),
  });
  if (moved === null) return;
  await moved.also?.gone;
  await engine.goOn(sessionId);
}

/** Limits idle browsers per process; evicts the least recently used browser first. */
export async function evictIdleBrowsers(engine: EngineState): Promise<void> {
  const lingering = await idleWithBrowser(engine, null);
  const tooMany = lingering.slice(getLimit(engine.rules, 'lingeringBrowsers'));
  for (const { id, activeAtMs: usedBefore } of tooMany) await releaseBrowser(engine, id, { usedBefore });
}
