import type { Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

/**
 * An object that runs queries: an open database or a transaction. A function that takes an executor can be called
 * inside a transaction; a function that takes a `Database` may begin its own transactions.
 */
export type Executor = Omit<Kysely<Tables>, 'transaction' | 'startTransaction' | 'connection'>;
