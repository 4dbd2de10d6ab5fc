import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { browserStatus, type SessionStatus, sessionStatus } from '#generated/states.ts';
import type { Database } from '../database.ts';
import { containsText } from '../dialect.ts';
import { prepared } from '../prepare.ts';
import type { ProfileTable } from '../tables/accounts.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { changeTotal, getTotal } from './counts.ts';
import type { Executor } from '../executor.ts';

/** Columns of a profile that change. */
export type ProfileUpdate = Updateable<ProfileTable>;

/** A profile as the database holds it. */
export type ProfileRow = Selectable<ProfileTable>;

/** A page of a project's profiles; `pageNumber` counts from 1. */
export interface ProfilePage {
  readonly pageNumber: number;
  readonly pageSize: number;
  /**
   * Text that the name or user of a profile must contain, ignoring the case of ASCII letters; null for all profiles.
   */
  readonly query: string | null;
}

/** Id of a profile, and its project. */
export interface ProfileRef {
  readonly projectId: string;
  readonly id: string;
}

/** Writes a new profile. */
export async function insertProfile(db: Database, profile: Insertable<ProfileTable>): Promise<void> {
  const { projectId } = profile;
  await inTransaction(
    db,
    async (trx) => {
      await trx.insertInto('profiles').values(profile).execute();
      await changeTotal(trx, { projectId, what: 'profiles', by: 1 });
    },
    { of: [projectId] },
  );
}

/** Returns the profile if the project owns it, else null. */
export async function findProfile(db: Executor, { projectId, id }: ProfileRef): Promise<ProfileRow | null> {
  const query = db
    .selectFrom('profiles')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns one page of a project's profiles, newest first, and their total on all pages. */
export async function listProfiles(
  db: Executor,
  projectId: string,
  { pageNumber, pageSize, query }: ProfilePage,
): Promise<{ rows: ProfileRow[]; total: number }> {
  const owned = db.selectFrom('profiles').where('projectId', '=', projectId);
  const wanted = query === null ? owned : owned.where(contains(query));
  const rows = await wanted
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((pageNumber - 1) * pageSize)
    .execute();
  if (query === null) return { rows, total: await getTotal(db, projectId, 'profiles') };
  const { total } = await wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Changes a profile and returns it; null when the project has no such profile. */
export async function updateProfile(
  db: Executor,
  { projectId, id }: ProfileRef,
  set: Updateable<ProfileTable>,
): Promise<ProfileRow | null> {
  const changed = await db
    .updateTable('profiles')
    .set(set)
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', projectId)
    .returningAll()
    .executeTakeFirst();
  return changed ?? null;
}

/** Returns the profile with the given id, of any project, or null. */
export async function profileById(db: Executor, id: string): Promise<ProfileRow | null> {
  return (await db.selectFrom('profiles').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Sets the state of a profile. Also sets its cookie domains, unless they are null. Returns the key of the previous
 * state as `before`; null when the profile was deleted. Call it inside a transaction.
 */
export async function setProfileState(
  trx: Transaction,
  id: string,
  { key, cookieDomains }: { readonly key: string; readonly cookieDomains: readonly string[] | null },
): Promise<{ before: string | null } | null> {
  const profile = await profileById(trx, id);
  if (profile === null) return null;
  const domains = cookieDomains === null ? {} : { cookieDomains: JSON.stringify(cookieDomains) };
  await trx
    .updateTable('profiles')
    .set({ stateKey: key, ...domains })
    .where('id', '=', id)
    .execute();
  return { before: profile.stateKey };
}

/** Deletes a profile and returns the key of its state; null without a state or for a profile of another project. */
export async function deleteProfile(trx: Transaction, { projectId, id }: ProfileRef): Promise<string | null> {
  const deleted = await trx
    .deleteFrom('profiles')
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', projectId)
    .returning('stateKey')
    .executeTakeFirst();
  if (deleted !== undefined) await changeTotal(trx, { projectId, what: 'profiles', by: -1 });
  return deleted?.stateKey ?? null;
}

/** Returns the SQL condition that the name or user of a profile contains a text. */
function contains(text: string) {
  const [inName, inUser] = ['name', 'userId'].map((column) => containsText(sql.ref(column), text));
  return sql<boolean>`(${inName} or ${inUser})`;
}

/** A request of a session or browser for the lock of a profile. */
export interface LeaseRequest {
  readonly profileId: string;
  readonly holderId: string;
  readonly now: number;
}

/**
 * Locks a profile for a holder. Returns null on success, also when the holder has the lock already, otherwise the id of
 * the other holder.
 */
export async function takeLease(db: Executor, { profileId, holderId, now }: LeaseRequest): Promise<string | null> {
  // A single statement, because the holder could release the lock between two.
  const { holderId: holder } = await db
    .insertInto('profile_leases')
    .values({ profileId, holderId, takenAt: now })
    .onConflict((conflict) =>
      conflict.column('profileId').doUpdateSet((eb) => ({ holderId: eb.ref('profile_leases.holderId') })),
    )
    .returning('holderId')
    .executeTakeFirstOrThrow();
  return holder === holderId ? null : holder;
}

/** Reason why a session or browser was not created: the limit of active sandboxes, or the holder of its profile. */
export type NotCreated =
  | { readonly created: false; readonly active: number; readonly limit: number }
  | { readonly created: false; readonly profileHolder: string };

/**
 * Locks the profile of a new session or browser. Returns the id of the other holder if the profile is locked already.
 * Returns null on success, and for a session or browser without a profile.
 */
export async function leaseFor(
  trx: Transaction,
  holder: { readonly id: string; readonly profileId?: string | null },
  now: number,
): Promise<string | null> {
  const { id: holderId, profileId = null } = holder;
  return profileId === null ? null : takeLease(trx, { profileId, holderId, now });
}

/** Returns the id of the session or browser that holds a profile lock, or null. */
export async function leaseHolder(db: Executor, profileId: string): Promise<string | null> {
  const query = db.selectFrom('profile_leases').select('holderId').where('profileId', '=', profileId);
  return (await query.executeTakeFirst())?.holderId ?? null;
}

/**
 * Returns the ids of an owner's ended sessions that hold a profile lock. `owner` is null in a single-process service.
 */
export async function leasesOfEnded(
  db: Executor,
  ended: readonly SessionStatus[],
  owner: string | null,
): Promise<string[]> {
  const rows = await db
    .selectFrom('profile_leases')
    .innerJoin('sessions', 'sessions.id', 'profile_leases.holderId')
    .select('profile_leases.holderId as id')
    .where('sessions.status', 'in', [...ended])
    .where('sessions.owner', 'is not distinct from', owner)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Returns the ids of an owner's stopped browsers that hold a profile lock. `owner` is null in a single-process service.
 */
export async function leasesOfStopped(db: Executor, owner: string | null): Promise<string[]> {
  const rows = await db
    .selectFrom('profile_leases')
    .innerJoin('browsers', 'browsers.id', 'profile_leases.holderId')
    .select('profile_leases.holderId as id')
    .where('browsers.status', '=', browserStatus.stopped)
    .where('browsers.owner', 'is not distinct from', owner)
    .execute();
  return rows.map(({ id }) => id);
}

/** Releases the profile lock of a holder; does nothing without a lock. */
export async function releaseLease(db: Executor, holderId: string): Promise<void> {
  await deleteHolderLeases.run(db, { holderId });
}

const deleteHolderLeases = prepared<{ readonly holderId: string }, unknown>(['holderId'], (db, { holderId }) =>
  db.deleteFrom('profile_leases').where('holderId', '=', holderId),
);

/**
 * Corrects profile locks after a restart of the service. Releases all locks except those of active browsers and of
 * sessions that have not started yet. Then takes missing locks for these browsers and sessions, the newest first,
 * because earlier releases had no locks.
 */
export async function renewLeases(db: Database, now: number): Promise<void> {
  await inTransaction(
    db,
    async (trx) => {
      const browsers = await trx
        .selectFrom('browsers')
        .select(['id', 'profileId', 'startedAt as since'])
        .where('status', '=', browserStatus.active)
        .where('profileId', 'is not', null)
        .execute();
      const sessions = await trx
        .selectFrom('sessions')
        .select(['id', 'profileId', 'createdAt as since'])
        .where('status', '=', sessionStatus.created)
        .where('profileId', 'is not', null)
        .execute();
      const holders = [...browsers, ...sessions].toSorted((a, b) => b.since - a.since);
      const known = new Set(holders.map(({ id }) => id));
      for (const { holderId: id } of await trx.selectFrom('profile_leases').select('holderId').execute())
        if (!known.has(id)) await releaseLease(trx, id);
      for (const { id, profileId } of holders)
        if (profileId !== null) await takeLease(trx, { profileId, holderId: id, now });
      // Runs only once, at the start of a service.
    },
    { of: 'everything' },
  );
}
