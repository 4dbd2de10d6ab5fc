import { Unavailable } from '#lib/unavailable.ts';

/** States of PostgreSQL in which it ends a connection or takes none: its classes 08, 53 and 57P, and a transaction that did nothing for too long. */
const lossStates = /^(08|53|57P|25P03$)/;

/** One of class 53 that ends no connection: the transaction fails, and there may be room for the next. */
const diskFull = '53100';

/** What the network says when there is nobody. */
const lossCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH'];

/** What the driver says, which gives these errors no code. */
const lossWords = /connection terminated|timeout exceeded when trying to connect|not queryable|client was closed/i;

/** The database did not answer in time, or went away. Nothing of the statement or transaction was written. */
export class DatabaseAway extends Unavailable {
  constructor(cause: unknown) {
    super('database_away', 'the database is away', { cause });
  }
}

/** The connection of a transaction is lost, and with it what it wrote: it can be run again, which waits for the database. */
export class TransactionLost extends DatabaseAway {}

/** Whether an error says that the connection is lost, or that there is none to be had. */
export function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isLoss);
  const code = codeOf(error);
  if (code === diskFull) return false;
  return lossStates.test(code) || lossCodes.includes(code) || lossWords.test(error.message);
}

/** Whether a transaction is to be run again from its beginning: its connection is lost, or another one was in its way. */
export function isToBeRunAgain(error: unknown): boolean {
  if (error instanceof TransactionLost) return true;
  return error instanceof Error && ['40001', '40P01'].includes(codeOf(error));
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
