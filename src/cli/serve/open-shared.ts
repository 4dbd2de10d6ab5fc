import type { Logger } from 'pino';
import type { BackendOptions } from '#api/create-backend.ts';
import { loadOptional } from '#contract/load-optional.ts';
import type { DatabaseLock } from '#store/postgres/lock-database.ts';
import { readSecrets } from './read-files.ts';
import type { ServeOptions } from './serve-options.ts';

/**
 * Interval of heartbeats (`everyMs`), and time without a heartbeat after which a process counts as dead (`silentMs`),
 * in milliseconds. With these values, a dead process is reclaimed within half a minute, and a slow process is not
 * declared dead.
 */
const pulse = { everyMs: 3_000, silentMs: 15_000 };

type Shared = Pick<BackendOptions, 'shared' | 'secrets'>;

/** Dependencies of {@link openShared}. */
export interface SharedDeps {
  readonly log: Logger;
  readonly onReclaimed: () => void;
}

/**
 * Reads the shared secret and locks the PostgreSQL database, if they are configured. Processes with a role share the
 * lock with each other; a process without a role holds it alone. With a role, also opens the connection for commands
 * between processes. Rejects with an Error that begins with `found` when the database cannot be locked, or when a flag
 * is missing that a role requires.
 */
export async function openShared(
  options: Pick<ServeOptions, 'role' | 'secretFile' | 'databaseAddress' | 'blobStore'>,
  { log, onReclaimed }: SharedDeps,
  owned: AsyncDisposableStack,
): Promise<Shared> {
  const { role, secretFile, databaseAddress, blobStore } = options;
  const secrets = secretFile === null ? {} : { secrets: await readSecrets(secretFile) };
  const lock = await ownDatabase(databaseAddress, { log, isShared: role !== null }, owned);
  if (role === null) return secrets;
  if (databaseAddress === null || lock === null)
    throw lacking('--database', 'the processes of a service share one PostgreSQL');
  if (secretFile === null)
    throw lacking('--secret-file', 'every process reads the URLs and secrets that another one signs and encrypts');
  if (blobStore === null) throw lacking('--blobs', 'every process reads the files that another one stores');
  const { openPgBossBus } = await loadOptional('database', () => import('#cluster/pg-boss-bus.ts'));
  const bus = await openPgBossBus(databaseAddress, log);
  owned.defer(() => bus.close());
  return {
    ...secrets,
    shared: { role, bus, pulse, onReclaimed, sweepAlone: (sweep) => lock.sweepAlone(sweep) },
  };
}

function lacking(flag: string, reason: string): Error {
  return new Error(`found --role without ${flag}. Expected both: ${reason}. Next: add ${flag}`);
}

/** Options of the database lock. */
export interface Taking {
  readonly log: Logger;
  /** Whether other processes of the same service may hold the lock too. */
  readonly isShared: boolean;
}

/**
 * Locks a PostgreSQL database for this service until `owned` ends; returns null without an address. Rejects when the
 * database is unreachable or locked, without showing the address, which may contain a password.
 */
async function ownDatabase(
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

/**
 * Throws an error whose message begins with `found`, as start-up errors do. An error with such a message is thrown
 * unchanged.
 */
function explained(error: unknown): never {
  if (!(error instanceof Error) || error.message.startsWith('found ')) throw error;
  throw new Error(`found no database that can be used at --database: ${error.message}`, { cause: error });
}
