import type { PoolClient } from 'pg';

/** High half of all lock numbers, which separates them from locks of other programs on the same database. */
export const family = 0x737663;

/** Low halves of the lock numbers, by the name of the lock. */
export const numbers = { everything: 0, service: 1, migrations: 2, sweep: 3 } as const;

/**
 * Statement that takes the global lock exclusively. Transactions that name the ids of their scope take this lock in
 * shared mode.
 */
export const lockEverything = `select pg_advisory_xact_lock(${family}, ${numbers.everything})`;

/** Statement that takes the global lock in shared mode. */
export const shareEverything = `select pg_advisory_xact_lock_shared(${family}, ${numbers.everything})`;

/** Takes a session-level advisory lock for migrations; waits while another process holds it. */
export async function lockFor(client: PoolClient, what: 'migrations'): Promise<void> {
  await client.query(`select pg_advisory_lock(${family}, ${numbers[what]})`);
}

/** Releases the lock of {@link lockFor}. */
export async function unlockFor(client: PoolClient, what: 'migrations'): Promise<void> {
  await client.query(`select pg_advisory_unlock(${family}, ${numbers[what]})`);
}
