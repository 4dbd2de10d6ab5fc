import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { ProfileRow } from '#store/profiles.ts';

/** The record of a profile (companion 4.9). */
export function renderProfile(profile: ProfileRow): JsonObject {
  return {
    id: profile.id,
    userId: profile.user_id,
    name: profile.name,
    lastUsedAt: profile.last_used_at === null ? null : shownTime(profile.last_used_at),
    createdAt: shownTime(profile.created_at),
    updatedAt: shownTime(profile.updated_at),
    cookieDomains: domainsOf(profile.cookie_domains),
  };
}

/** Null until a browser with the profile has ended. */
function domainsOf(text: string | null): JsonValue {
  const domains: JsonValue = text === null ? null : JSON.parse(text);
  return domains;
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
