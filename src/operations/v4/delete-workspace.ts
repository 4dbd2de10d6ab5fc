import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';

/** DELETE /workspaces/{workspace_id} (companion 7.1): idempotent, also for an id that the caller has no workspace of. */
export const deleteWorkspace: Operation<Caller, { readonly id: string | null }, null> = {
  decide: async (request, { workspaces, scope }) => ({
    id: (await workspaces.find(scope.projectId, request.path['workspace_id'] ?? ''))?.id ?? null,
  }),
  async apply({ id }, { workspaces }) {
    if (id !== null) await workspaces.archive(id);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
