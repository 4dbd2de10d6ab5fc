/**
 * PostgreSQL storage, opened by `store/open-database.ts` for a PostgreSQL URL. Queries share a connection pool; each
 * transaction has its own connection. Transactions are serialised where required (decision 47): each takes the global
 * lock unless it names its scope. While the database is unavailable, operations wait up to their deadline, and
 * interrupted commits are verified afterwards. This folder does not know the tables.
 */
export {
  type ColumnValue,
  databaseVersion,
  fillPostgres,
  type PostgresReader,
  type PostgresWriter,
  readPostgres,
  type Row,
} from './copy.ts';
export { lockDatabase } from './lock-database.ts';
export { openPostgres } from './open-postgres.ts';
