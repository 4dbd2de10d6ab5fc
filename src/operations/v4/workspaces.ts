import {
  createOperation,
  updateOperation,
  sizeOperation,
  listFilesOperation,
  deleteFileOperation,
  findWorkspaceOr404,
  type NamedReservation,
  type NamedUpload,
  type UploadCommand,
  applyUploads,
  defaultContentType,
} from '../common/workspace-operations.ts';
import { readBody } from './body.ts';
import { problem, isProblem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { WorkspaceRow } from '#store/queries/files.ts';
import { shortJson } from '#lib/json.ts';
import { storedPath, storedName } from '#accounts/workspaces/file-names.ts';
import type { components } from '#generated/v4.ts';

/** Folder of all uploads (companion 7.9, path). */
const folder = 'uploads/';
/**
 * Reserves uploads to a workspace: POST /workspaces/{workspace_id}/files/upload (companion 7.1 and 7.9). With
 * `allowOverrides: false`, refuses the whole request if a stored file already has one of the names.
 */
export const uploadWorkspaceFiles: Operation<RequestContext, UploadCommand, readonly NamedReservation[]> = {
  async decide(request, context) {
    const workspace = await findWorkspaceOr404(request, context);
    if (isProblem(workspace)) return workspace;
    const body = readBody(request, 'UploadFiles');
    const files: NamedUpload[] = [];
    for (const { name, contentType, size } of body.files) {
      const stored = storedName(name);
      if (stored === null) return problem('path_malformed', { found: shortJson(name) });
      files.push({ name, path: `${folder}${stored}`, contentType: contentType ?? defaultContentType, size });
    }
    return { workspaceId: workspace.id, files, allowOverrides: body.allowOverrides ?? true };
  },
  apply: applyUploads,
  render: (uploads, { addresses }) => ({
    status: 200,
    body: {
      files: uploads.map(({ id, name, path, willOverride }) => ({
        id,
        name,
        storedName: path.slice(folder.length),
        path,
        willOverride,
        uploadUrl: addresses.upload(id),
      })),
    },
  }),
};

/** Removes a file: DELETE /workspaces/{workspace_id}/files (companion 7.1). An invalid path gives 400. */
export const deleteWorkspaceFile = deleteFileOperation(
  (path) => storedPath(path) ?? problem('path_malformed', { found: shortJson(path) }),
);

/** Lists the files of a workspace: GET /workspaces/{workspace_id}/files (companion 7.1 and 7.9). */
export const listWorkspaceFiles = listFilesOperation(() => ({}));

/** Returns the used and maximum bytes of a workspace: GET /workspaces/{workspace_id}/size (companion 7.1). */
export const getWorkspaceSize = sizeOperation;

/**
 * Deletes a workspace: DELETE /workspaces/{workspace_id} (companion 7.1). The response is the same for a deleted
 * workspace and for an unknown id.
 */
export const deleteWorkspace: Operation<RequestContext, { readonly id: string | null }, null> = {
  decide: async (request, { workspaces, scope }) => ({
    id: (await workspaces.find(scope.projectId, request.path['workspace_id'] ?? ''))?.id ?? null,
  }),
  async apply({ id }, { workspaces }) {
    if (id !== null) await workspaces.archive(id);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};

/** Renames a workspace: PATCH /workspaces/{workspace_id} (companion 7.1). */
export const updateWorkspace = updateOperation(
  (request) => readBody(request, 'WorkspaceSettings'),
  (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
);

/**
 * Returns a workspace, also a deleted workspace, which has `archived: true`: GET /workspaces/{workspace_id} (companion
 * 7.1).
 */
export const getWorkspace: Operation<RequestContext, WorkspaceRow, WorkspaceRow> = {
  decide: async (request, { workspaces, scope }) =>
    (await workspaces.find(scope.projectId, request.path['workspace_id'] ?? '')) ?? problem('workspace_not_found', {}),
  apply: async (workspace) => workspace,
  render: (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
};

/** Creates a workspace: POST /workspaces (companion 7.1). */
export const createWorkspace = createOperation(
  (request) => readBody(request, 'WorkspaceSettings'),
  (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
);

/** Renders a workspace (companion 7.9). */
function renderWorkspace(workspace: WorkspaceRow): components['schemas']['Workspace'] {
  return {
    id: workspace.id,
    name: workspace.name,
    archived: workspace.archivedAt !== null,
    createdAt: new Date(workspace.createdAt).toISOString(),
    updatedAt: new Date(workspace.updatedAt).toISOString(),
  };
}
