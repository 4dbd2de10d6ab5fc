import { updateOperation } from '../common/workspace-operations.ts';
import { bodyOf } from './body-of.ts';
import { renderWorkspace } from './render-workspace.ts';

/** PATCH /workspaces/{workspace_id} (companion 7.1). */
export const updateWorkspace = updateOperation(
  (request) => bodyOf(request, 'WorkspaceSettings'),
  (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
);
