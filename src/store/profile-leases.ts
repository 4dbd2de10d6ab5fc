import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import { prepareQuery } from './prepare-query.ts';

/** A session or browser that asks for a profile. */
export interface LeaseRequest {
  readonly profileId: string;
  readonly holderId: string;
  readonly now: number;
}

/** Takes a profile for a holder; answers null, also when the holder has it already, else the id of whoever has it. */
export async function takeLease(db: Database, { profileId, holderId, now }: LeaseRequest): Promise<string | null> {
  // One statement: between two of them whoever has it could give it back.
  const { holder_id: holder } = await db
    .insertInto('profile_leases')
    .values({ profile_id: profileId, holder_id: holderId, taken_at: now })
    .onConflict((conflict) =>
      conflict.column('profile_id').doUpdateSet((eb) => ({ holder_id: eb.ref('profile_leases.holder_id') })),
    )
    .returning('holder_id')
    .executeTakeFirstOrThrow();
  return holder === holderId ? null : holder;
}

/** Why a session or browser was not written: so many living ones there are of so many allowed, or who uses its profile. */
export type NotCreated =
  | { readonly created: false; readonly active: number; readonly limit: number }
  | { readonly created: false; readonly profileHolder: string };

/** Takes its profile, if it has one, for a session or browser that is being written; answers as `takeLease`. */
export async function leaseFor(
  trx: Database,
  holder: { readonly id: string; readonly profile_id?: string | null },
  now: number,
): Promise<string | null> {
  const { id: holderId, profile_id: profileId = null } = holder;
  return profileId === null ? null : takeLease(trx, { profileId, holderId, now });
}

/** The session or browser that has a profile, or null. */
export async function leaseHolder(db: Database, profileId: string): Promise<string | null> {
  const query = db.selectFrom('profile_leases').select('holder_id').where('profile_id', '=', profileId);
  return (await query.executeTakeFirst())?.holder_id ?? null;
}

/** The sessions of an owner that have ended and hold a profile. The owner is null where there is one process. */
export async function leasesOfEnded(db: Database, ended: readonly string[], owner: string | null): Promise<string[]> {
  const rows = await db
    .selectFrom('profile_leases')
    .innerJoin('sessions', 'sessions.id', 'profile_leases.holder_id')
    .select('profile_leases.holder_id as id')
    .where('sessions.status', 'in', [...ended])
    .where('sessions.owner', 'is not distinct from', owner)
    .execute();
  return rows.map(({ id }) => id);
}

/** The standalone browsers of an owner that are stopped and hold a profile. The owner is null where there is one process. */
export async function leasesOfStopped(db: Database, owner: string | null): Promise<string[]> {
  const rows = await db
    .selectFrom('profile_leases')
    .innerJoin('browsers', 'browsers.id', 'profile_leases.holder_id')
    .select('profile_leases.holder_id as id')
    .where('browsers.status', '=', 'stopped')
    .where('browsers.owner', 'is not distinct from', owner)
    .execute();
  return rows.map(({ id }) => id);
}

/** Gives back what a holder has; without effect on one that has nothing. */
export async function releaseLease(db: Database, holderId: string): Promise<void> {
  await deleteOf(db, { holderId });
}

const deleteOf = prepareQuery<{ readonly holderId: string }, unknown>(['holderId'], (db, { holderId }) =>
  db.deleteFrom('profile_leases').where('holder_id', '=', holderId),
);

/**
 * Gives back what no longer has a holder after the end of the service before: only an active browser, and a session whose sandbox
 * is still to be started, use their profiles on. What an earlier release created without a lease gets one, the newest first.
 */
export async function renewLeases(db: Database, now: number): Promise<void> {
  await inTransaction(
    db,
    async (trx) => {
      const browsers = await trx
        .selectFrom('browsers')
        .select(['id', 'profile_id', 'started_at as since'])
        .where('status', '=', 'active')
        .where('profile_id', 'is not', null)
        .execute();
      const sessions = await trx
        .selectFrom('sessions')
        .select(['id', 'profile_id', 'created_at as since'])
        .where('status', '=', 'created')
        .where('profile_id', 'is not', null)
        .execute();
      const holders = [...browsers, ...sessions].toSorted((a, b) => b.since - a.since);
      const known = new Set(holders.map(({ id }) => id));
      for (const { holder_id: id } of await trx.selectFrom('profile_leases').select('holder_id').execute())
        if (!known.has(id)) await releaseLease(trx, id);
      for (const { id, profile_id: profileId } of holders)
        if (profileId !== null) await takeLease(trx, { profileId, holderId: id, now });
      // Once, at the start of a service.
    },
    { of: 'everything' },
  );
}
