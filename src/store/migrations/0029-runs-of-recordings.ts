import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the run that a recording shows; null for a recording of a browser. */
export const runsOfRecordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('recordings').addColumn('run_id', 'text').execute();
    await setRunsOfRecordings(db);
  },
};

/** Sets the run of each V3 recording: the latest run of its session that had started when the recording began. */
export async function setRunsOfRecordings<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`
    update recordings set run_id = (
      select runs.id from runs
      where runs.session_id = recordings.owner_id and runs.started_at <= recordings.created_at
      order by runs.started_at desc limit 1
    )
    where owner_id in (select id from sessions where generation = 'v3')`.execute(db);
}
