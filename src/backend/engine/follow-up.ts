import type { Updateable } from 'kysely';
import { titleOf } from '../agent/index.ts';
import { type SessionRow, sessionById } from '../storage/sessions.ts';
import type { SessionTable } from '../storage/schema.ts';
import { runRow } from './create-session.ts';
import { executeRun } from './execute-run.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';

/** A further task for an idle session and the settings that it replaces. */
export interface FollowUp {
  readonly task: string;
  /** Columns that the request names; what is absent keeps its value. */
  readonly settings: Updateable<SessionTable>;
}

/** Dispatches a task to an idle session; null when it is not idle and nothing was written. */
export async function followUp(engine: EngineState, session: SessionRow, wanted: FollowUp): Promise<SessionRow | null> {
  const run = { ...runRow(engine, session, wanted.task), status: 'running' as const };
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: 'idle' },
    set: { ...wanted.settings, title: session.title ?? titleOf(wanted.task), output: null, is_task_successful: null },
    also: async (trx) => {
      await trx.insertInto('runs').values(run).execute();
    },
  });
  if (moved === null) return null;
  engine.inBackground(`run ${run.id}`, () => executeRun(engine, session.id, { id: run.id, task: run.task }));
  return sessionById(engine.db, session.id);
}
