import type { Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

/**
 * Runs queries: an open database, or a transaction in it. A function that takes an executor can be called inside a
 * transaction; one that takes a `Database` may begin its own.
 */
export type Executor = Omit<Kysely<Tables>, 'transaction' | 'startTransaction' | 'connection'>;
