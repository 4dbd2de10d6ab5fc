import { Unavailable } from '#lib/http.ts';

/** SQLSTATE patterns of a lost or refused connection: classes 08, 53 and 57P, and the idle-in-transaction timeout. */
const lossStates = /^(08|53|57P|25P03$)/;

/**
 * SQLSTATE of a full disk. The connection stays open: only the transaction fails, and the next transaction may succeed.
 */
const diskFull = '53100';

/** Network error codes of an unreachable server, and of a name server that does not know it or does not answer. */
const lossCodes = 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOENT EHOSTUNREACH ENETUNREACH EAI_AGAIN ENOTFOUND'.split(
  ' ',
);

/** Messages of driver errors without a code. */
const lossWords = /connection terminated|timeout exceeded when trying to connect|not queryable|client was closed/i;

/**
 * Thrown when the database did not answer in time or the connection was lost. Nothing of the statement or transaction
 * was written.
 */
export class DatabaseAway extends Unavailable {
  constructor(cause: unknown) {
    super('database_away', 'the database is away', { cause });
  }
}

/**
 * Thrown when the connection of a transaction is lost, so that nothing was written. The transaction can be run again:
 * the new attempt waits for the database.
 */
export class TransactionLost extends DatabaseAway {}

/** Returns whether an error reports a lost or refused database connection. */
export function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isLoss);
  const code = getCode(error);
  if (code === diskFull) return false;
  return lossStates.test(code) || lossCodes.includes(code) || lossWords.test(error.message);
}

/**
 * Returns whether a transaction must be retried: its connection was lost, or it conflicted with another transaction.
 */
export function isToBeRunAgain(error: unknown): boolean {
  if (error instanceof TransactionLost) return true;
  return error instanceof Error && ['40001', '40P01'].includes(getCode(error));
}

function getCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
