import { type Problem, problem } from '#contract/problems.ts';
import type { ParsedRequest } from '../operation.ts';
import type { WorkspaceRow } from '#store/workspaces.ts';
import type { Caller } from './caller.ts';

/** The living workspace that the path names; an archived one, or one of another project, does not exist for the caller. */
export function findWorkspaceOr404(request: ParsedRequest, caller: Caller): Promise<WorkspaceRow | Problem> {
  return living(caller, request.path['workspace_id'] ?? '');
}

/** Refuses the workspace that a body names when the caller has none of that id; null where it names none. */
export async function checkWorkspace(caller: Caller, id: string | null | undefined): Promise<Problem | null> {
  if (id === null || id === undefined) return null;
  const found = await living(caller, id);
  return 'archived_at' in found ? null : found;
}

async function living({ workspaces, scope }: Caller, id: string): Promise<WorkspaceRow | Problem> {
  const found = await workspaces.find(scope.projectId, id);
  return found === null || found.archived_at !== null ? problem('workspace_not_found', {}) : found;
}
