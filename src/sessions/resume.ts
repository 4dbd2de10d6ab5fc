import { activeRun, hasEventOf } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { type SessionRow } from '#store/schema.ts';
import { executeRun } from './execute-run.ts';
import { failSession } from './fail-session.ts';
import { giveUpSandbox } from './launch-browser.ts';
import type { EngineState } from './parts.ts';
import { startSandbox } from './start-sandbox.ts';

/** A session that lives and that its owner does not work on. */
export type UnattendedSession = Pick<SessionRow, 'id' | 'status'>;

/** How a session came to be unattended. */
export interface Resumption {
  /** Whether a task that has not had a browser yet may be begun: its process has not ended since it was dispatched. */
  readonly mayBegin: boolean;
  /** Why a task ends that cannot be begun again. */
  readonly reason: string;
}

/** Whether this process works on a created or running session that is its own. */
export async function isAttended(engine: EngineState, { id, status }: UnattendedSession): Promise<boolean> {
  if (status === 'created') return engine.starting.has(id);
  const run = await activeRun(engine.db, id);
  return run !== undefined && engine.begun.has(run);
}

/**
 * Resumes a created or running session that its owner does not work on, or ends it with a reason: a created one starts, a task that has had
 * a browser may have done something and ends as a crash. A resumption that fails ends it, too.
 */
export async function resumeSession(
  engine: EngineState,
  { id, status }: UnattendedSession,
  how: Resumption,
): Promise<void> {
  if (status === 'created') return engine.inBackground(`start ${id}`, () => startOrGiveUp(engine, id));
  const run = await engine.db
    .selectFrom('runs')
    .select(['id', 'task', 'trace_parent'])
    .where('session_id', '=', id)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (run === undefined) return failSession(engine, id, { reason: how.reason, kind: 'crash' });
  if (engine.begun.has(run.id)) return;
  const end = (): Promise<void> => failSession(engine, id, { reason: how.reason, kind: 'crash', runId: run.id });
  if (!how.mayBegin || (await hasEventOf(engine.db, run.id, 'browser.ready'))) return end();
  engine.inBackground(`run ${run.id}`, async () => {
    if ((await sessionById(engine.db, id)).status !== 'running' || engine.begun.has(run.id)) return;
    await executeRun(engine, id, run);
  });
}

async function startOrGiveUp(engine: EngineState, id: string): Promise<void> {
  try {
    await startSandbox(engine, id);
  } catch (error) {
    await giveUpSandbox(engine, id, 'the session could not be resumed');
    throw error;
  }
}
