import { setTimeout } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { isLoss } from './database-away.ts';
import { family, numbers } from './locks.ts';

/** A database that this service has locked for itself. */
export interface DatabaseLock {
  /**
   * Runs the retention sweep and returns true. Returns false, without a sweep, if another process of the service is
   * sweeping or has taken the database. A lost connection ends the exclusion of other sweeps, which is harmless,
   * because each removal is a transaction of its own.
   */
  sweepAlone(sweep: () => Promise<void>): Promise<boolean>;
  /** Releases the database lock; the end of the process releases it too. */
  release(): Promise<void>;
}

/** Options of the database lock. */
export interface Locking {
  /** Whether other processes of the same service may hold the lock too. @defaultValue false */
  readonly isShared?: boolean;
}

/**
 * Locks a database for this process, and again after each outage. Rejects when the database is unreachable or locked by
 * another service: two services would end each other's sessions. Calls `onTaken` when another process took the lock
 * during an outage.
 */
export async function lockDatabase(
  address: string,
  onTaken: () => void,
  { isShared = false }: Locking = {},
): Promise<DatabaseLock> {
  const released = new AbortController();
  let client = await lockedClient(address, isShared);
  if (client === null)
    throw new Error('found the database in use by another service, expected one of its own: choose another --database');
  const keep = async (): Promise<void> => {
    while (client !== null) {
      await ended(client, released.signal);
      if (released.signal.aborted) return;
      client = await again(address, isShared, released.signal);
    }
    if (!released.signal.aborted) onTaken();
  };
  const kept = keep();
  return {
    sweepAlone: (sweep) => sweepOn(client, sweep),
    async release() {
      released.abort();
      await kept;
      await client?.end();
    },
  };
}

async function sweepOn(client: Client | null, sweep: () => Promise<void>): Promise<boolean> {
  const { rows } = (await client?.query<{ taken: boolean }>(trySweepLock)) ?? { rows: [] };
  if (rows[0]?.taken !== true) return false;
  try {
    await sweep();
  } finally {
    await client?.query(releaseSweepLock).catch(unlessLost);
  }
  return true;
}

/** Ignores the error of a lost connection, which has released its locks; throws any other error. */
function unlessLost(error: unknown): void {
  if (!isLoss(error)) throw error;
}

function ended(client: Client, released: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  client.once('end', () => resolve());
  released.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

async function again(address: string, isShared: boolean, released: AbortSignal): Promise<Client | null> {
  while (!released.aborted) {
    try {
      return await lockedClient(address, isShared);
    } catch (error) {
      // The server may refuse connections for a while; the queries of the service report its reason.
      if (!isLoss(error) && !(error instanceof DatabaseError)) throw error;
      await setTimeout(askAgainMs);
    }
  }
  return null;
}

/** Statement that tries to take the lock of the retention sweep; its column `taken` tells whether it succeeded. */
const trySweepLock = `select pg_try_advisory_lock(${family}, ${numbers.sweep}) as taken`;

/** Statement that releases the lock of {@link trySweepLock}. */
const releaseSweepLock = `select pg_advisory_unlock(${family}, ${numbers.sweep})`;

/**
 * Returns a connection that holds the service lock; null when another process still holds this lock after {@link
 * previousEndMs}.
 */
async function lockedClient(address: string, isShared: boolean): Promise<Client | null> {
  const client = new Client({ connectionString: address, keepAlive: true, application_name: 'svc lock' });
  // Errors of the connection are handled when it ends.
  client.on('error', () => undefined);
  await client.connect();
  for (const until = performance.now() + previousEndMs; ; ) {
    const { rows } = await client.query<{ taken: boolean }>(tryServiceLock(isShared));
    if (rows[0]?.taken === true) return client;
    if (performance.now() > until) break;
    await setTimeout(askAgainMs);
  }
  await client.end();
  return null;
}

/**
 * Returns the statement that tries to take the service lock, exclusively or shared; its column `taken` tells whether it
 * succeeded.
 */
function tryServiceLock(isShared: boolean): string {
  return `select pg_try_advisory_lock${isShared ? '_shared' : ''}(${family}, ${numbers.service}) as taken`;
}

/** Interval between attempts to connect to an unavailable database or to take a taken lock, in milliseconds. */
const askAgainMs = 250;

/**
 * Time for which a taken lock is retried, in milliseconds: PostgreSQL may still hold the lock of a process that has
 * ended.
 */
const previousEndMs = 2_000;
