import type { Database } from '#store/database.ts';
import { AdminFault } from './admin-fault.ts';

/** The id of the project of that id or name, or of the only one there is. Rejects with an {@link AdminFault} that lists them all. */
export async function chooseProject(db: Database, wanted: string | undefined): Promise<string> {
  const projects = await db.selectFrom('projects').select(['id', 'name']).orderBy('created_at').execute();
  const meant = projects.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only.id;
  const listed = projects.map(({ id, name }) => `\n  ${id}  ${name}`).join('');
  const found = wanted === undefined ? `${projects.length} projects` : `${meant.length} projects called ${wanted}`;
  throw new AdminFault(`found ${found}, expected one: name it with --project${listed}`);
}
