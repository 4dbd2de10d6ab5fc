import type { Insertable, Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { RunTable, SessionTable } from './schema.ts';

/** A session as the database holds it. */
export type SessionRow = Selectable<SessionTable>;

/** Who may see a session: sessions of other projects and generations do not exist for a caller. */
export interface Scope {
  readonly projectId: string;
  readonly generation: SessionTable['generation'];
}

/** The session of that id if the scope may see it and it is not deleted, else null. */
export async function findSession(db: Database, scope: Scope, id: string): Promise<SessionRow | null> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', scope.projectId)
    .where('generation', '=', scope.generation)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

/** The session of that id, whoever owns it; for the engine's own work. Throws when it does not exist. */
export function sessionById(db: Database, id: string): Promise<SessionRow> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** One page of a scope's sessions, newest first. `page` counts from 1. */
export async function listSessions(
  db: Database,
  scope: Scope,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ rows: SessionRow[]; total: number }> {
  const visible = db
    .selectFrom('sessions')
    .where('project_id', '=', scope.projectId)
    .where('generation', '=', scope.generation)
    .where('deleted_at', 'is', null);
  const rows = await visible
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  const { total } = await visible.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Writes a session, its first task if it has one, and the event, unless the project already has `activeMax` living ones. */
export function insertSession(
  db: Database,
  fresh: {
    session: Insertable<SessionTable>;
    run: Insertable<RunTable> | null;
    activeMax: number;
    living: readonly string[];
  },
): Promise<{ created: true } | { created: false; active: number }> {
  return db.transaction().execute(async (trx) => {
    const { active } = await trx
      .selectFrom('sessions')
      .select((eb) => eb.fn.countAll<number>().as('active'))
      .where('project_id', '=', fresh.session.project_id)
      .where('status', 'in', [...fresh.living])
      .executeTakeFirstOrThrow();
    if (active >= fresh.activeMax) return { created: false, active };
    await trx.insertInto('sessions').values(fresh.session).execute();
    if (fresh.run !== null) await trx.insertInto('runs').values(fresh.run).execute();
    const { id, created_at } = fresh.session;
    const event = { session_id: id, run_id: fresh.run?.id ?? null, type: 'session.created', data: '{}', created_at };
    await trx.insertInto('events').values(event).execute();
    return { created: true };
  });
}
