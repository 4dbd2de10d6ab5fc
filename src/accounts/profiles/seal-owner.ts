/** The name under which the state of a profile is sealed: it opens for no other profile. */
export function sealOwner(profileId: string): string {
  return `profile ${profileId}`;
}
