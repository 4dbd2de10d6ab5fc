import { sizeOperation } from '../common/workspace-operations.ts';

/** GET /workspaces/{workspace_id}/size (companion 7.1). */
export const getWorkspaceSize = sizeOperation;
