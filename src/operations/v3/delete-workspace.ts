import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findWorkspaceOr404 } from '../common/find-workspace.ts';
import type { WorkspaceRow } from '#store/workspaces.ts';

/** DELETE /workspaces/{workspace_id} (companion 6.1), with its files. */
export const deleteWorkspace: Operation<Caller, WorkspaceRow, null> = {
  decide: findWorkspaceOr404,
  async apply({ id }, { workspaces }) {
    await workspaces.archive(id);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
