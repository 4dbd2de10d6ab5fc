import type { ConsoleWorkspace } from '#contract/console-messages.ts';
import type { Executor } from '#store/executor.ts';
import { type WorkspacePage, type WorkspaceRow, listWorkspaces } from '#store/queries/files.ts';
import type { ConsoleOperation } from '../console-operation.ts';

/**
 * Lists the workspaces of a project. With a search text, lists only workspaces whose name or id contains the text, and
 * reads only the newest `searchedWorkspaces` workspaces. Documented operations have no such search.
 */
export const listConsoleWorkspaces: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, query }, { db }) {
    const { search } = query;
    const wanted = typeof search === 'string' ? search.trim().toLowerCase() : '';
    const page = { pageNumber: Number(query['page']), pageSize: Number(query['limit']) };
    const { rows, total } = await (wanted === ''
      ? listWorkspaces(db, projectId, page)
      : searchWorkspaces(db, { projectId, wanted, ...page }));
    return { status: 200, body: { workspaces: rows.map(renderWorkspace), total } };
  },
};

/** Number of the newest workspaces that a search reads. */
const searchedWorkspaces = 2000;

interface WorkspaceSearch extends WorkspacePage {
  readonly projectId: string;
  /** Text that the name or id must contain, in lower case. */
  readonly wanted: string;
}

async function searchWorkspaces(
  db: Executor,
  { projectId, wanted, pageNumber, pageSize }: WorkspaceSearch,
): Promise<{ rows: readonly WorkspaceRow[]; total: number }> {
  const { rows } = await listWorkspaces(db, projectId, { pageNumber: 1, pageSize: searchedWorkspaces });
  const found = rows.filter(({ id, name }) => id.includes(wanted) || (name ?? '').toLowerCase().includes(wanted));
  return { rows: found.slice((pageNumber - 1) * pageSize, pageNumber * pageSize), total: found.length };
}

function renderWorkspace({ id, name, createdAt, updatedAt }: WorkspaceRow): ConsoleWorkspace {
  return { id, name, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
}
