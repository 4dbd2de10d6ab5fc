import type { Selectable } from 'kysely';
import type { WorkspaceTable } from '../tables/files.ts';
import { totalOf } from './counts.ts';
import type { Executor } from '../executor.ts';

/** A workspace as the database holds it. */
export type WorkspaceRow = Selectable<WorkspaceTable>;

/** A page of a project's workspaces; `pageNumber` counts from 1. */
export interface WorkspacePage {
  readonly pageNumber: number;
  readonly pageSize: number;
}

/**
 * Returns a workspace of the project, archived or not, else null. Workspaces of sessions and browsers are not found.
 */
export async function findWorkspace(db: Executor, projectId: string, id: string): Promise<WorkspaceRow | null> {
  const query = db
    .selectFrom('workspaces')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', projectId)
    .where('ownerId', 'is', null);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns whether a workspace accepts files. Call it inside the transaction that adds one. */
export async function isLiving(db: Executor, id: string): Promise<boolean> {
  const query = db.selectFrom('workspaces').select('id').where('id', '=', id).where('archivedAt', 'is', null);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns one page of a project's living workspaces, newest first, and their total on all pages. */
export async function listWorkspaces(
  db: Executor,
  projectId: string,
  { pageNumber, pageSize }: WorkspacePage,
): Promise<{ rows: WorkspaceRow[]; total: number }> {
  const living = db
    .selectFrom('workspaces')
    .where('projectId', '=', projectId)
    .where('archivedAt', 'is', null)
    .where('ownerId', 'is', null);
  const rows = await living
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((pageNumber - 1) * pageSize)
    .execute();
  return { rows, total: await totalOf(db, projectId, 'workspaces') };
}

/** Changes a living workspace and returns it; null when it was archived meanwhile. */
export async function updateWorkspace(
  db: Executor,
  id: string,
  change: Partial<Pick<WorkspaceRow, 'name' | 'archivedAt'>> & { readonly updatedAt: number },
): Promise<WorkspaceRow | null> {
  const changed = await db
    .updateTable('workspaces')
    .set(change)
    .where('id', '=', id)
    .where('archivedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return changed ?? null;
}

/** Returns the living workspace of a session or browser, or null. */
export async function ownedWorkspace(db: Executor, ownerId: string): Promise<WorkspaceRow | null> {
  const query = db.selectFrom('workspaces').selectAll().where('ownerId', '=', ownerId).where('archivedAt', 'is', null);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns the session or browser that owns a workspace, or null. */
export async function ownerOf(db: Executor, workspaceId: string): Promise<string | null> {
  const query = db.selectFrom('workspaces').select('ownerId').where('id', '=', workspaceId);
  return (await query.executeTakeFirst())?.ownerId ?? null;
}
