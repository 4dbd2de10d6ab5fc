import { type Insertable, type Selectable, type Transaction, type Updateable, sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import type { ProfileTable, Tables } from './schema.ts';
import { changeTotal, totalOf } from './totals.ts';

/** A profile as the database holds it. */
export type ProfileRow = Selectable<ProfileTable>;

/** A page of a project's profiles; `pageNumber` counts from 1. */
export interface ProfilePage {
  readonly pageNumber: number;
  readonly pageSize: number;
  /** Only profiles whose name or user contains this text, whatever the case of a to z; null for all. */
  readonly query: string | null;
}

/** Which profile of which project is meant. */
export interface ProfileRef {
  readonly projectId: string;
  readonly id: string;
}

/** Writes a new profile. */
export async function insertProfile(db: Database, profile: Insertable<ProfileTable>): Promise<void> {
  const { project_id: projectId } = profile;
  await inTransaction(
    db,
    async (trx) => {
      await trx.insertInto('profiles').values(profile).execute();
      await changeTotal(trx, { projectId, what: 'profiles', by: 1 });
    },
    { of: [projectId] },
  );
}

/** The profile if the project owns it, else null. */
export async function findProfile(db: Database, { projectId, id }: ProfileRef): Promise<ProfileRow | null> {
  const query = db
    .selectFrom('profiles')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** One page of a project's profiles, newest first, and how many there are on all pages. */
export async function listProfiles(
  db: Database,
  projectId: string,
  { pageNumber, pageSize, query }: ProfilePage,
): Promise<{ rows: ProfileRow[]; total: number }> {
  const owned = db.selectFrom('profiles').where('project_id', '=', projectId);
  const wanted = query === null ? owned : owned.where(contains(query));
  const rows = await wanted
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((pageNumber - 1) * pageSize)
    .execute();
  if (query === null) return { rows, total: await totalOf(db, projectId, 'profiles') };
  const { total } = await wanted.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Changes a profile; answers it as it is now, or null when the project owns no such profile. */
export async function updateProfile(
  db: Database,
  { projectId, id }: ProfileRef,
  set: Updateable<ProfileTable>,
): Promise<ProfileRow | null> {
  const changed = await db
    .updateTable('profiles')
    .set(set)
    .where('id', '=', id.toLowerCase())
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst();
  return changed ?? null;
}

/** The profile of that id, whoever owns it, or null. */
export async function profileById(db: Database, id: string): Promise<ProfileRow | null> {
  return (await db.selectFrom('profiles').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Gives a profile another state, and other cookie domains unless they are null; answers the key of the state before, or null when
 * there is no such profile any more. To be called inside a transaction.
 */
export async function setProfileState(
  trx: Transaction<Tables>,
  id: string,
  { key, cookieDomains }: { readonly key: string; readonly cookieDomains: readonly string[] | null },
): Promise<{ before: string | null } | null> {
  const profile = await profileById(trx, id);
  if (profile === null) return null;
  const domains = cookieDomains === null ? {} : { cookie_domains: JSON.stringify(cookieDomains) };
  await trx
    .updateTable('profiles')
    .set({ state_key: key, ...domains })
    .where('id', '=', id)
    .execute();
  return { before: profile.state_key };
}

/** Removes a profile and answers the key of its state; null where there is none, or the project owns no such profile. */
export async function deleteProfile(trx: Transaction<Tables>, { projectId, id }: ProfileRef): Promise<string | null> {
  const deleted = await trx
    .deleteFrom('profiles')
    .where('id', '=', id.toLowerCase())
    .where('project_id', '=', projectId)
    .returning('state_key')
    .executeTakeFirst();
  if (deleted !== undefined) await changeTotal(trx, { projectId, what: 'profiles', by: -1 });
  return deleted?.state_key ?? null;
}

/** Only a to z have a case for the databases, whose `lower` knows no other letters in texts that are compared by their bytes. */
function contains(text: string) {
  const lower = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pattern = `%${lower.replaceAll(/[\\%_]/g, (special) => `\\${special}`)}%`;
  const part = (column: string) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
  return sql<boolean>`(${part('name')} or ${part('user_id')})`;
}
