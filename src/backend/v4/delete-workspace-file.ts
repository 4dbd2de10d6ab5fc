import { problem } from '#domain/problems.ts';
import { shortJson } from '#domain/short-json.ts';
import { deleteFileOperation } from '../shared/workspace-operations.ts';
import { storedPath } from '../workspaces/index.ts';

/** DELETE /workspaces/{workspace_id}/files (companion 7.1): a path that no file can have is 400. */
export const deleteWorkspaceFile = deleteFileOperation(
  (path) => storedPath(path) ?? problem('path_malformed', { found: shortJson(path) }),
);
