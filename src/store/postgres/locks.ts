import { setTimeout } from 'node:timers/promises';
import { Client, type PoolClient } from 'pg';
import { isLoss } from './database-away.ts';

/** The first half of the numbers of all locks: those of other programs on the same database have another. */
const family = 0x737663;

/** The second half. */
const numbers = { everything: 0, service: 1, migrations: 2, sweep: 3 } as const;

/** The lock of everything: a transaction holds it alone, or shares it with those that say what they are about. */
export const lockEverything = `select pg_advisory_xact_lock(${family}, ${numbers.everything})`;

/** The same lock, shared. */
export const shareEverything = `select pg_advisory_xact_lock_shared(${family}, ${numbers.everything})`;

/** Locks of the length of a connection: one for the service, and one for bringing the tables up to date. */
export async function lockFor(client: PoolClient, what: 'migrations'): Promise<void> {
  await client.query(`select pg_advisory_lock(${family}, ${numbers[what]})`);
}

/** Gives back what {@link lockFor} took. */
export async function unlockFor(client: PoolClient, what: 'migrations'): Promise<void> {
  await client.query(`select pg_advisory_unlock(${family}, ${numbers[what]})`);
}

/** The statement that takes the lock of whoever removes what is old, and answers as `taken` whether nobody else has it. */
const trySweepLock = `select pg_try_advisory_lock(${family}, ${numbers.sweep}) as taken`;

/** Gives back what {@link trySweepLock} took. */
const releaseSweepLock = `select pg_advisory_unlock(${family}, ${numbers.sweep})`;

/** The statement that takes the lock of the service, alone or with others that share it, and answers as `taken` whether that was possible. */
function tryServiceLock(isShared: boolean): string {
  return `select pg_try_advisory_lock${isShared ? '_shared' : ''}(${family}, ${numbers.service}) as taken`;
}

/** A database that one service has for itself. */
export interface DatabaseLock {
  /**
   * Sweeps if none of the processes that share the database is at it; answers whether it did. Who is at it is forgotten with its connection:
   * whoever sweeps removes each thing in a transaction of its own, so that two at once would only do it in vain.
   */
  sweepAlone(sweep: () => Promise<void>): Promise<boolean>;
  /** Gives it back; so does the end of the process, however it comes. */
  release(): Promise<void>;
}

/** How long a database that is away is left alone before it is asked again, in milliseconds. */
const askAgainMs = 250;

/** How long PostgreSQL may take to notice that the process that had the lock has ended, in milliseconds. */
const lingerMs = 2_000;

/** How a database is taken. */
export interface Locking {
  /** Whether further processes of the same service may have it too: then nobody has it alone. @defaultValue false */
  readonly isShared?: boolean;
}

/**
 * Takes a database for this process alone, and again each time that the database was away. Rejects when it cannot be reached, or another
 * process has it: two services that own all of its sessions would end each other's. `onTaken` is told when another came first later.
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

/** A connection that holds the lock, or null when another process has it. */
async function lockedClient(address: string, isShared: boolean): Promise<Client | null> {
  const client = new Client({ connectionString: address, keepAlive: true, application_name: 'svc lock' });
  // What goes wrong with it is seen at its end.
  client.on('error', () => undefined);
  await client.connect();
  for (const until = performance.now() + lingerMs; ; ) {
    const { rows } = await client.query<{ taken: boolean }>(tryServiceLock(isShared));
    if (rows[0]?.taken === true) return client;
    if (performance.now() > until) break;
    await setTimeout(askAgainMs);
  }
  await client.end();
  return null;
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

/** With a connection its locks are gone. */
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
      if (!isLoss(error)) throw error;
      await setTimeout(askAgainMs);
    }
  }
  return null;
}
