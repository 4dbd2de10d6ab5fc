import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds what has answered a run, and the latest run of a session: null for what no agent has worked on. */
export const workersOfRuns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['runs', 'sessions'])
      await db.schema.alterTable(table).addColumn('answered_by', 'text').execute();
    await setWorkersOfRuns(db);
  },
};

/** Sets what has answered each run of an earlier release: a model where a call was booked, else the planner where it came to an end or made a step. */
export async function setWorkersOfRuns<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`
    update runs set answered_by = case
      when exists (select 1 from events where events.run_id = runs.id and events.type = 'model.call') then 'model'
      when status in ('succeeded', 'failed') or exists (select 1 from steps where steps.run_id = runs.id)
        then 'offline_planner'
    end`.execute(db);
  await sql`
    update sessions set answered_by = (
      select runs.answered_by from runs where runs.session_id = sessions.id
      order by runs.created_at desc, runs.id desc limit 1
    )`.execute(db);
}
