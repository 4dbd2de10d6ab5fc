import { problem } from '#contract/problems.ts';
import { shortJson } from '#lib/short-json.ts';
import { deleteFileOperation } from '../common/workspace-operations.ts';
import { storedPath } from '#accounts/workspaces/index.ts';

/** DELETE /workspaces/{workspace_id}/files (companion 7.1): a path that no file can have is 400. */
export const deleteWorkspaceFile = deleteFileOperation(
  (path) => storedPath(path) ?? problem('path_malformed', { found: shortJson(path) }),
);
