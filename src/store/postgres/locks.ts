import type { PoolClient } from 'pg';

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
export const trySweepLock = `select pg_try_advisory_lock(${family}, ${numbers.sweep}) as taken`;

/** Gives back what {@link trySweepLock} took. */
export const releaseSweepLock = `select pg_advisory_unlock(${family}, ${numbers.sweep})`;

/** The statement that takes the lock of the service, alone or with others that share it, and answers as `taken` whether that was possible. */
export function tryServiceLock(isShared: boolean): string {
  return `select pg_try_advisory_lock${isShared ? '_shared' : ''}(${family}, ${numbers.service}) as taken`;
}
