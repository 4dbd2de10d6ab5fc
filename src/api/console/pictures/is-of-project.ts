import type { Database } from '#store/database.ts';

/** Returns whether a project has a run or session with that id, of any API version, that is not deleted. */
export async function isOfProject(
  db: Database,
  table: 'runs' | 'sessions',
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<boolean> {
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}
