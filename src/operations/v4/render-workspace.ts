import type { components } from '#generated/v4.ts';
import type { WorkspaceRow } from '#store/workspaces.ts';

/** The V4 record of a workspace (companion 7.9). */
export function renderWorkspace(workspace: WorkspaceRow): components['schemas']['Workspace'] {
  return {
    id: workspace.id,
    name: workspace.name,
    archived: workspace.archived_at !== null,
    createdAt: new Date(workspace.created_at).toISOString(),
    updatedAt: new Date(workspace.updated_at).toISOString(),
  };
}
