import { problem } from '#domain/problems.ts';
import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { WorkspaceRow } from '../storage/workspaces.ts';
import { renderWorkspace } from './render-workspace.ts';

/** GET /workspaces/{workspace_id} (companion 7.1): a deleted one is still shown, as archived. */
export const getWorkspace: Operation<Caller, WorkspaceRow, WorkspaceRow> = {
  decide: async (request, { workspaces, scope }) =>
    (await workspaces.find(scope.projectId, request.path['workspace_id'] ?? '')) ?? problem('workspace_not_found', {}),
  apply: async (workspace) => workspace,
  render: (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
};
