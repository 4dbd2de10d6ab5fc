import { problem } from '#domain/problems.ts';
import { deleteFileOperation } from '../shared/workspace-operations.ts';
import { storedPath } from '../workspaces/index.ts';

/** DELETE /workspaces/{workspace_id}/files (companion 6.1): at a path that no file can have there is none. */
export const deleteWorkspaceFile = deleteFileOperation((path) => storedPath(path) ?? problem('file_not_found', {}));
