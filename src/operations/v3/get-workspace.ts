import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findWorkspaceOr404 } from '../common/find-workspace.ts';
import type { WorkspaceRow } from '#store/workspaces.ts';
import { renderWorkspace } from './render-workspace.ts';

/** GET /workspaces/{workspace_id} (companion 6.1). */
export const getWorkspace: Operation<Caller, WorkspaceRow, WorkspaceRow> = {
  decide: findWorkspaceOr404,
  apply: async (workspace) => workspace,
  render: (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
};
