import { endStates } from '#contract/lifecycle.ts';
import { queuedRun } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { type SessionRow } from '#store/schema.ts';
import { browserOf } from './launch-browser.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';
import { titleOf } from '#agent/index.ts';
import { type RunRef, executeRun } from './execute-run.ts';

/**
 * Brings a created session to life: browser first, then its waiting task, else idle. A failed start ends in `error`. Without effect while
 * this process starts it already.
 */
export async function startSandbox(engine: EngineState, sessionId: string): Promise<void> {
  if (engine.starting.has(sessionId)) return;
  engine.starting.add(sessionId);
  try {
    await start(engine, sessionId);
  } finally {
    engine.starting.delete(sessionId);
  }
}

async function start(engine: EngineState, sessionId: string): Promise<void> {
  const session = await sessionById(engine.db, sessionId);
  if (session.status !== 'created') return;
  const browser = await browserOf(engine, session);
  if (browser !== null) await settle(engine, session);
}

/** Begins the waiting task, else makes the session idle. A task may have come to wait, or been stopped, at any moment. */
async function settle(engine: EngineState, session: SessionRow): Promise<void> {
  using dispatching = engine.tasks.hold();
  // This process takes no more tasks. The session stays created: its next owner starts it, or this service after a restart.
  if (dispatching === null) return;
  const sessionId = session.id;
  for (;;) {
    const waiting = await queuedRun(engine.db, sessionId);
    if (waiting !== undefined && (await beginQueuedRun(engine, session, waiting))) return;
    if (await becomeIdle(engine, sessionId)) return engine.goOn(sessionId);
    const { status } = await sessionById(engine.db, sessionId);
    if (status === 'created') continue;
    // The session was stopped meanwhile: nobody else knows of the sandbox.
    if (endStates(engine.rules.lifecycle, 'session').includes(status)) await engine.sandboxes.close(sessionId);
    return;
  }
}

/** False when a task came to wait meanwhile, or the session is not starting any more. */
async function becomeIdle(engine: EngineState, sessionId: string): Promise<boolean> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'sandboxReady' },
    provided: async (trx) => (await queuedRun(trx, sessionId)) === undefined,
  });
  return moved !== null;
}

/** Sets a created session's waiting task in motion; its idle moment is never visible (decision 8). False when it was ended before. */
async function beginQueuedRun(engine: EngineState, session: SessionRow, run: RunRef): Promise<boolean> {
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: 'created' },
    set: (seen) => ({ title: seen.session.title ?? titleOf(run.task) }),
    run: { id: run.id, status: 'running' },
  });
  if (moved === null) return false;
  await executeRun(engine, session.id, run);
  return true;
}
