import type { components } from '#generated/v3.ts';
import type { WorkspaceRow } from '#store/workspaces.ts';

/** The V3 record of a workspace (companion 6.5). */
export function renderWorkspace(workspace: WorkspaceRow): components['schemas']['Workspace'] {
  return {
    id: workspace.id,
    name: workspace.name,

    createdAt: new Date(workspace.created_at).toISOString(),
    updatedAt: new Date(workspace.updated_at).toISOString(),
  };
}
