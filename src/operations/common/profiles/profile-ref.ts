import type { ParsedRequest } from '../../operation.ts';
import type { ProfileRef } from '#store/profiles.ts';
import type { Caller } from '../caller.ts';

/** The profile that the path names, of the caller's project. */
export function profileRef(request: ParsedRequest, { scope }: Caller): ProfileRef {
  return { projectId: scope.projectId, id: request.path['profile_id'] ?? '' };
}
