import { type Insertable, type Selectable, type Updateable, sql } from 'kysely';
import type { Database } from './database.ts';
import type { ProfileTable } from './schema.ts';

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
  await db.insertInto('profiles').values(profile).execute();
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

/** Removes a profile; without effect when the project owns no such profile. */
export async function deleteProfile(db: Database, { projectId, id }: ProfileRef): Promise<void> {
  await db.deleteFrom('profiles').where('id', '=', id.toLowerCase()).where('project_id', '=', projectId).execute();
}

/** Both sides through the database's own `lower`: SQLite and we do not agree on letters beyond a to z. */
function contains(text: string) {
  const pattern = `%${text.replaceAll(/[\\%_]/g, (special) => `\\${special}`)}%`;
  const part = (column: string) => sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
  return sql<boolean>`(${part('name')} or ${part('user_id')})`;
}
