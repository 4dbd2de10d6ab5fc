import { hasEventOf } from '../storage/runs.ts';
import { type SessionRow, sessionById } from '../storage/sessions.ts';
import { bookTrafficOf } from './book-traffic.ts';
import { executeRun } from './execute-run.ts';
import { failSession } from './fail-session.ts';
import type { EngineState } from './parts.ts';
import { goOnWithOwnerless } from './queue.ts';
import { startSandbox } from './start-sandbox.ts';

/** Sessions that nobody owns and one look takes: with more, the other workers have their share. */
const takenAtOnce = 10;
/** As long as an owner that was told of something may take to begin with it before it looks by itself. */
const heardWithinMs = 10_000;

/**
 * What a worker does again and again: takes the sessions that wait for an owner, begins what it owns and was never told of, and writes
 * down what its browsers have used.
 */
export async function lookAfter(engine: EngineState): Promise<void> {
  if (engine.closing.aborted || engine.tasks.isFinishing) return;
  for (const session of await takeOwnerless(engine)) await begin(engine, session);
  for (const session of await unheardOf(engine)) await begin(engine, session);
  await goOnWithOwnerless(engine);
  await bookTrafficOf(engine);
  await engine.rearmInactivity();
}

async function takeOwnerless(engine: EngineState): Promise<SessionRow[]> {
  const rows = await engine.db
    .selectFrom('sessions')
    .select('id')
    .where('owner', 'is', null)
    .where('status', 'in', ['created', 'running'])
    .orderBy('created_at')
    .limit(takenAtOnce)
    .execute();
  const taken: SessionRow[] = [];
  for (const { id } of rows) {
    const row = await engine.db
      .updateTable('sessions')
      .set(engine.owners.own())
      .where('id', '=', id)
      .where('owner', 'is', null)
      .where('status', 'in', ['created', 'running'])
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) taken.push(row);
  }
  return taken;
}

/** What this process owns, has not begun, and ought to have: whoever was to tell it could not. */
async function unheardOf(engine: EngineState): Promise<SessionRow[]> {
  const rows = await engine.db
    .selectFrom('sessions')
    .selectAll()
    .where('owner', '=', engine.owners.self)
    .where('status', 'in', ['created', 'running'])
    .where('active_at', '<', engine.clock.now() - heardWithinMs)
    .execute();
  return rows.filter(({ id }) => engine.sandboxes.get(id) === undefined);
}

async function begin(engine: EngineState, { id, status }: SessionRow): Promise<void> {
  if (status === 'created') return engine.inBackground(`start ${id}`, () => startSandbox(engine, id));
  const run = await engine.db
    .selectFrom('runs')
    .select(['id', 'task', 'trace_parent'])
    .where('session_id', '=', id)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (run === undefined || engine.begun.has(run.id)) return;
  // A task whose browser has been there may have done something already: it is never run again.
  if (await hasEventOf(engine.db, run.id, 'browser.ready'))
    return failSession(engine, id, { reason: 'the service ended while the task ran', kind: 'crash', runId: run.id });
  engine.inBackground(`run ${run.id}`, async () => {
    if ((await sessionById(engine.db, id)).status === 'running') await executeRun(engine, id, run);
  });
}
