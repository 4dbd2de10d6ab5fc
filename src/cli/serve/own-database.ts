import type { Logger } from 'pino';
import type { DatabaseLock } from '#store/postgres/locks.ts';
import { loadOptional } from '#contract/load-optional.ts';

/** Options of the database lock. */
export interface Taking {
  readonly log: Logger;
  /** Whether further processes of the same service may take it too. */
  readonly isShared: boolean;
}

/**
 * Takes a PostgreSQL database for this service, until `owned` ends; null is none, and answers null. Rejects when it cannot be reached or another service has it, which
 * is said without the address: that may hold a password.
 */
export async function ownDatabase(
  address: string | null,
  { log, isShared }: Taking,
  owned: AsyncDisposableStack,
): Promise<DatabaseLock | null> {
  if (address === null) return null;
  const { lockDatabase } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  const onTaken = (): void => log.error('another service has taken the database while it was away: this one must end');
  const lock = await lockDatabase(address, onTaken, { isShared }).catch(explained);
  owned.defer(() => lock.release());
  return lock;
}

/** In the words of a start that fails, unless it is in them already. */
function explained(error: unknown): never {
  if (!(error instanceof Error) || error.message.startsWith('found ')) throw error;
  throw new Error(`found no database that can be used at --database: ${error.message}`, { cause: error });
}
