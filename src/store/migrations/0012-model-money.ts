import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a million tokens cost before models had prices of their own: 1 and 4 dollars, in pico-dollars for each token. */
const inputPicos = 1_000_000;
const outputPicos = 4_000_000;

/** Money of tokens beside the tokens, and calls that are under way. What was booked before keeps its sum to the micro-dollar. */
export const modelMoney: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['sessions', 'runs']) {
      await db.schema
        .alterTable(table)
        .addColumn('llm_picos', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
      const earlier = sql`input_tokens * ${inputPicos} + output_tokens * ${outputPicos}`;
      await sql`update ${sql.table(table)} set llm_picos = ${earlier}`.execute(db);
    }
    await db.schema
      .createTable('model_calls')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('session_id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('reserved_picos', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('model_calls_by_session').on('model_calls').column('session_id').execute();
    await db.schema.createIndex('model_calls_by_project').on('model_calls').column('project_id').execute();
  },
};
