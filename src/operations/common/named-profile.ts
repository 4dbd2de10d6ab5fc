import { type Problem, problem } from '#contract/problems.ts';
import type { Caller } from './caller.ts';

/** A profile that a request may name. */
type ProfileId = string | null | undefined;

/** Refuses a profile that the caller's project does not have, before anything is created (companion 3.1). */
export async function checkProfile(id: ProfileId, { profiles, scope }: Caller): Promise<Problem | null> {
  if (id === undefined || id === null) return null;
  const found = await profiles.find({ projectId: scope.projectId, id });
  return found === null ? problem('profile_not_found', {}) : null;
}

/** Writes down that something was created with the profile; without effect where none was named, or where it went meanwhile. */
export async function useProfile(id: ProfileId, { profiles, scope }: Caller): Promise<void> {
  if (id !== undefined && id !== null) await profiles.markUsed({ projectId: scope.projectId, id });
}
