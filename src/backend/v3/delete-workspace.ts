import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import { findWorkspaceOr404 } from '../shared/find-workspace.ts';
import type { WorkspaceRow } from '../storage/workspaces.ts';

/** DELETE /workspaces/{workspace_id} (companion 6.1), with its files. */
export const deleteWorkspace: Operation<Caller, WorkspaceRow, null> = {
  decide: findWorkspaceOr404,
  async apply({ id }, { workspaces }) {
    await workspaces.archive(id);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
