import { type Expression, type Kysely, PostgresAdapter, type SqlBool, sql } from 'kysely';

/** Returns the dialect of a database or transaction. */
export function getDialect<Schema>(db: Pick<Kysely<Schema>, 'getExecutor'>): 'sqlite' | 'postgres' {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * Returns the condition that a column contains a text, without regard to the case of A to Z. The wildcards of LIKE have
 * no special meaning in the text. The condition compares two lower-case forms of the text, because `lower` converts
 * only A to Z in SQLite, and possibly more letters in PostgreSQL.
 */
export function containsText(column: Expression<unknown>, text: string): Expression<SqlBool> {
  const lowered = [text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()), text.toLowerCase()];
  const [ofSqlite, ofPostgres] = lowered.map((part) => `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  return sql<SqlBool>`(lower(${column}) like ${ofSqlite} escape '\\' or lower(${column}) like ${ofPostgres} escape '\\')`;
}
