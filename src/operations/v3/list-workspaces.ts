import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { WorkspacePage, WorkspaceRow } from '#store/workspaces.ts';
import { renderWorkspace } from './render-workspace.ts';

interface Found extends WorkspacePage {
  readonly rows: readonly WorkspaceRow[];
  readonly total: number;
}

/** GET /workspaces (companion 6.1), newest first. */
export const listWorkspaces: Operation<Caller, WorkspacePage, Found> = {
  decide: ({ query }) => ({ pageNumber: Number(query['pageNumber']), pageSize: Number(query['pageSize']) }),
  apply: async (page, { workspaces, scope }) => ({ ...page, ...(await workspaces.list(scope.projectId, page)) }),
  render: ({ rows, total, pageNumber, pageSize }) => ({
    status: 200,
    body: { items: rows.map(renderWorkspace), totalItems: total, pageNumber, pageSize },
  }),
};
