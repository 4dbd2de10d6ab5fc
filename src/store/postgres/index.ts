/**
 * The state of a service in a PostgreSQL database: what `storage/database.ts` opens for an address instead of a file.
 *
 * A query runs on a connection of a pool, a transaction on one of its own. Transactions are serial where they have to be (decision 47): each
 * takes the lock of everything, unless it names what it is about. A database that is away is waited for, for as long as whoever
 * asks can wait; what was written when it went is found out when it is back. Nothing here knows a table.
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
export { lockDatabase } from './locks.ts';
export { openPostgres } from './open-postgres.ts';
