import { createOperation } from '../common/workspace-operations.ts';
import { bodyOf } from './body-of.ts';
import { renderWorkspace } from './render-workspace.ts';

/** POST /workspaces (companion 7.1). */
export const createWorkspace = createOperation(
  (request) => bodyOf(request, 'WorkspaceSettings'),
  (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
);
