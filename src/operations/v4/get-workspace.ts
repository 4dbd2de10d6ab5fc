import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { WorkspaceRow } from '#store/workspaces.ts';
import { renderWorkspace } from './render-workspace.ts';

/** GET /workspaces/{workspace_id} (companion 7.1): a deleted one is still shown, as archived. */
export const getWorkspace: Operation<Caller, WorkspaceRow, WorkspaceRow> = {
  decide: async (request, { workspaces, scope }) =>
    (await workspaces.find(scope.projectId, request.path['workspace_id'] ?? '')) ?? problem('workspace_not_found', {}),
  apply: async (workspace) => workspace,
  render: (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
};
