import { listFilesOperation } from '../common/workspace-operations.ts';

/** GET /workspaces/{workspace_id}/files (companion 6.1 and 6.5): V3 names the sub-folders too. */
export const listWorkspaceFiles = listFilesOperation(({ folders }) => ({ folders }));
