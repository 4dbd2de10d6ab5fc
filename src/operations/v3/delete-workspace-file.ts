import { problem } from '#contract/problems.ts';
import { deleteFileOperation } from '../common/workspace-operations.ts';
import { storedPath } from '#accounts/workspaces/index.ts';

/** DELETE /workspaces/{workspace_id}/files (companion 6.1): at a path that no file can have there is none. */
export const deleteWorkspaceFile = deleteFileOperation((path) => storedPath(path) ?? problem('file_not_found', {}));
