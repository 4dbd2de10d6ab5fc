import { listFilesOperation } from '../common/workspace-operations.ts';

/** GET /workspaces/{workspace_id}/files (companion 7.1 and 7.9). */
export const listWorkspaceFiles = listFilesOperation(() => ({}));
