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
import { readBody } from './check-body.ts';
import type { Operation } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { WorkspacePage, WorkspaceRow } from '#store/queries/files.ts';
import { problem, type Problem, isProblem } from '#contract/problems.ts';
import { storedPath, storedFolder, storedName } from '#accounts/workspaces/file-names.ts';
import type { components } from '#generated/v3.ts';
import { shortJson } from '#lib/json.ts';

/**
 * Reserves uploads to a workspace, which replace files with equal paths: POST /workspaces/{workspace_id}/files/upload
 * (companion 6.1 and 6.5).
 */
export const uploadWorkspaceFiles: Operation<RequestContext, UploadCommand, readonly NamedReservation[]> = {
  async decide(request, context) {
    const prefix = String(request.query['prefix']);
    const folder = storedFolder(prefix);
    if (folder === null) return problem('path_invalid', { found: shortJson(prefix) }, ['query', 'prefix']);
    const files: NamedUpload[] = [];
    for (const [index, file] of readBody(request, 'UploadFiles').files.entries()) {
      const wanted = wantedFile(file, index, folder);
      if (isProblem(wanted)) return wanted;
      files.push(wanted);
    }
    const workspace = await findWorkspaceOr404(request, context);
    return isProblem(workspace) ? workspace : { workspaceId: workspace.id, files, allowOverrides: true };
  },
  apply: applyUploads,
  render: (uploads, { addresses }) => ({
    status: 200,
    body: { files: uploads.map(({ id, name, path }) => ({ name, uploadUrl: addresses.upload(id), path })) },
  }),
};

/** Removes a file: DELETE /workspaces/{workspace_id}/files (companion 6.1). An invalid path gives 404. */
export const deleteWorkspaceFile = deleteFileOperation((path) => storedPath(path) ?? problem('file_not_found', {}));

/** Lists the files and sub-folders of a workspace: GET /workspaces/{workspace_id}/files (companion 6.1 and 6.5). */
export const listWorkspaceFiles = listFilesOperation(({ folders }) => ({ folders }));

/** Returns the used and maximum bytes of a workspace: GET /workspaces/{workspace_id}/size (companion 6.1). */
export const getWorkspaceSize = sizeOperation;

/** Deletes a workspace with its files: DELETE /workspaces/{workspace_id} (companion 6.1). */
export const deleteWorkspace: Operation<RequestContext, WorkspaceRow, null> = {
  decide: findWorkspaceOr404,
  async apply({ id }, { workspaces }) {
    await workspaces.archive(id);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};

/** Renames a workspace: PATCH /workspaces/{workspace_id} (companion 6.1). */
export const updateWorkspace = updateOperation(
  (request) => readBody(request, 'WorkspaceSettings'),
  (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
);

/** Returns a workspace: GET /workspaces/{workspace_id} (companion 6.1). */
export const getWorkspace: Operation<RequestContext, WorkspaceRow, WorkspaceRow> = {
  decide: findWorkspaceOr404,
  apply: async (workspace) => workspace,
  render: (workspace) => ({ status: 200, body: renderWorkspace(workspace) }),
};

/** Lists the workspaces of the project, newest first: GET /workspaces (companion 6.1). */
export const listWorkspaces: Operation<RequestContext, WorkspacePage, Found> = {
  decide: ({ query }) => ({ pageNumber: Number(query['pageNumber']), pageSize: Number(query['pageSize']) }),
  apply: async (page, { workspaces, scope }) => ({ ...page, ...(await workspaces.list(scope.projectId, page)) }),
  render: ({ rows, total, pageNumber, pageSize }) => ({
    status: 200,
    body: { items: rows.map(renderWorkspace), totalItems: total, pageNumber, pageSize },
  }),
};

/** Creates a workspace: POST /workspaces (companion 6.1). */
export const createWorkspace = createOperation(
  (request) => readBody(request, 'WorkspaceSettings'),
  (workspace) => ({ status: 201, body: renderWorkspace(workspace) }),
);

interface Found extends WorkspacePage {
  readonly rows: readonly WorkspaceRow[];
  readonly total: number;
}

function wantedFile(
  { name, contentType, size }: components['schemas']['UploadFile'],
  index: number,
  folder: string,
): NamedUpload | Problem {
  const stored = storedName(name);
  if (stored === null) return problem('path_invalid', { found: shortJson(name) }, ['body', 'files', index, 'name']);
  return { name, path: `${folder}${stored}`, contentType: contentType ?? defaultContentType, size };
}

/** Renders a workspace (companion 6.5). */
function renderWorkspace(workspace: WorkspaceRow): components['schemas']['Workspace'] {
  return {
    id: workspace.id,
    name: workspace.name,

    createdAt: new Date(workspace.createdAt).toISOString(),
    updatedAt: new Date(workspace.updatedAt).toISOString(),
  };
}
