import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import type { HttpReply } from '#contract/http-messages.ts';
import type { StoredFile, WorkspaceRow } from '#store/queries/files.ts';
import { type FilePage } from '#accounts/workspaces/files.ts';
import { type Workspaces } from '#accounts/workspaces/create-workspaces.ts';
import { encodeCursor, decodeCursor } from '#accounts/workspaces/file-names.ts';
import { type ReservedUpload, type WantedUpload, type WantedUploads } from '#accounts/workspaces/uploads.ts';
import type { RequestContext } from './request-context.ts';

/** Settings of a workspace. If the name is absent, an update leaves it unchanged. */
export interface Settings {
  readonly name?: string | null;
}

type Render = (workspace: WorkspaceRow, context: RequestContext) => HttpReply;

/** Returns the operation that creates a workspace. */
export function createOperation(
  readSettings: (request: ParsedRequest) => Settings,
  render: Render,
): Operation<RequestContext, Settings, WorkspaceRow> {
  return {
    decide: (request) => readSettings(request),
    apply: ({ name }, { workspaces, scope }) => workspaces.create(scope.projectId, name ?? null),
    render,
  };
}

interface Change extends Settings {
  readonly workspace: WorkspaceRow;
}

/**
 * Returns the operation that renames a workspace. Answers 404 for an unknown or archived workspace, also if it is
 * archived before the change.
 */
export function updateOperation(
  parseSettings: (request: ParsedRequest) => Settings,
  render: Render,
): Operation<RequestContext, Change, WorkspaceRow> {
  return {
    async decide(request, context) {
      const workspace = await findWorkspaceOr404(request, context);
      return isProblem(workspace) ? workspace : { workspace, ...parseSettings(request) };
    },
    async apply({ workspace, name }, { workspaces }) {
      if (name === undefined) return workspace;
      return (await workspaces.rename(workspace.id, name)) ?? problem('workspace_not_found', {});
    },
    render,
  };
}

/** Returns the used and maximum bytes of a workspace. */
export const sizeOperation: Operation<RequestContext, WorkspaceRow, Awaited<ReturnType<Workspaces['size']>>> = {
  decide: findWorkspaceOr404,
  apply: ({ id }, { workspaces }) => workspaces.size(id),
  render: (size) => ({ status: 200, body: size }),
};

interface ListWanted {
  readonly workspaceId: string;
  readonly prefix: string;
  readonly shallow: boolean;
  readonly behind: string | null;
  readonly limit: number;
  readonly includeUrls: boolean;
}

interface Listed extends FilePage {
  readonly includeUrls: boolean;
}

/**
 * Returns the operation that lists a page of files. `more` returns the members that only one API version adds to the
 * response.
 */
export function listFilesOperation(more: (page: FilePage) => object): Operation<RequestContext, ListWanted, Listed> {
  return {
    async decide(request, context) {
      const workspace = await findWorkspaceOr404(request, context);
      if (isProblem(workspace)) return workspace;
      const { prefix, cursor, limit, includeUrls, shallow } = request.query;
      const behind = typeof cursor === 'string' ? decodeCursor(cursor) : null;
      if (typeof cursor === 'string' && behind === null) return problem('cursor_malformed', {});
      return {
        workspaceId: workspace.id,
        prefix: String(prefix).normalize('NFC'),
        behind,
        limit: Number(limit),
        includeUrls: includeUrls === true,
        shallow: shallow === true,
      };
    },
    apply: async ({ workspaceId, includeUrls, ...wanted }, { workspaces }) => ({
      ...(await workspaces.files(workspaceId, wanted)),
      includeUrls,
    }),
    render: (page, { addresses }) => ({
      status: 200,
      body: {
        files: page.files.map((file) => renderFile(file, page.includeUrls ? addresses.file(file.id) : null)),
        ...more(page),
        nextCursor: page.lastPath === null ? null : encodeCursor(page.lastPath),
        hasMore: page.lastPath !== null,
      },
    }),
  };
}

function renderFile({ path, size, storedAt }: StoredFile, url: string | null): object {
  return { path, size, lastModified: new Date(storedAt).toISOString(), url };
}

interface Named {
  readonly workspaceId: string;
  readonly path: string;
}

/**
 * Returns the operation that removes a file. Answers 404 for an unknown file. `readPath` normalises the path, or
 * returns the refusal of the API version for an invalid path.
 */
export function deleteFileOperation(
  readPath: (path: string) => string | Problem,
): Operation<RequestContext, Named, null> {
  return {
    async decide(request, context) {
      const workspace = await findWorkspaceOr404(request, context);
      if (isProblem(workspace)) return workspace;
      const path = readPath(String(request.query['path']));
      return isProblem(path) ? path : { workspaceId: workspace.id, path };
    },
    apply: async ({ workspaceId, path }, { workspaces }) =>
      (await workspaces.removeFile(workspaceId, path)) ? null : problem('file_not_found', {}),
    render: () => ({ status: 204, body: undefined }),
  };
}

/**
 * Returns the active workspace in the path, or a 404 problem. Archived workspaces, and workspaces of other projects,
 * are treated as absent.
 */
export function findWorkspaceOr404(request: ParsedRequest, context: RequestContext): Promise<WorkspaceRow | Problem> {
  return living(context, request.path['workspace_id'] ?? '');
}

/** Returns the refusal of an unknown or archived workspace; null for an active workspace, and without an id. */
export async function checkWorkspace(context: RequestContext, id: string | null | undefined): Promise<Problem | null> {
  if (id === null || id === undefined) return null;
  const found = await living(context, id);
  return 'archivedAt' in found ? null : found;
}

async function living({ workspaces, scope }: RequestContext, id: string): Promise<WorkspaceRow | Problem> {
  const found = await workspaces.find(scope.projectId, id);
  return found === null || found.archivedAt !== null ? problem('workspace_not_found', {}) : found;
}

/** Default of `contentType` (companion 6.5 and 7.9). */
export const defaultContentType = 'application/octet-stream';

/** A validated file of an upload request, with the name that the request gave it. */
export interface NamedUpload extends WantedUpload {
  readonly name: string;
}

/** An upload request with its existing workspace. */
export interface UploadCommand extends WantedUploads {
  readonly workspaceId: string;
  readonly files: readonly NamedUpload[];
}

/** A reserved upload with the requested file name. */
export interface NamedReservation extends ReservedUpload {
  readonly name: string;
}

/**
 * Reserves all uploads of a request, and returns them in the order of the request. If one upload is refused, reserves
 * none and returns the problem.
 */
export const applyUploads: Operation<RequestContext, UploadCommand, readonly NamedReservation[]>['apply'] = async (
  { workspaceId, files, allowOverrides },
  { workspaces },
) => {
  const reserved = await workspaces.reserve(workspaceId, { files, allowOverrides });
  if (isProblem(reserved)) return reserved;
  return reserved.map((upload, index) => ({ ...upload, name: files[index]?.name ?? '' }));
};
