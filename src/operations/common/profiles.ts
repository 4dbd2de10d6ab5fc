/*
 * The profile operations of all API versions, whose documents are equal (companion 5.1, 6.1 and 7.1). The handlers of
 * each version bind them. This module must not import an API version.
 */
import type { Operation, ParsedRequest } from '../operation.ts';
import type { ProfileChanges } from '#accounts/profiles.ts';
import type { ProfileRow, ProfilePage, ProfileRef } from '#store/queries/profiles.ts';
import { type ReadBody, type RequestContext, createBodyReader } from './request-context.ts';
import { problem } from '#contract/problems.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';

/** Creates a profile: POST /profiles (companion 4.9). */
export const createProfile: Operation<RequestContext, ProfileChanges, ProfileRow> = {
  decide: (request) => readBody(request, 'ProfileRequest'),
  apply: (chosen, { profiles, scope }) => profiles.create(scope.projectId, chosen),
  render: (profile) => ({ status: 201, body: renderProfile(profile) }),
};

/** Returns a profile: GET /profiles/{profile_id} (companion 4.9). */
export const getProfile: Operation<RequestContext, ProfileRow, ProfileRow> = {
  async decide(request, context) {
    return (await context.profiles.find(profileRef(request, context))) ?? problem('profile_not_found', {});
  },
  apply: async (profile) => profile,
  render: (profile) => ({ status: 200, body: renderProfile(profile) }),
};

interface Found extends ProfilePage {
  readonly rows: readonly ProfileRow[];
  readonly total: number;
}

/** Lists the profiles of the project, newest first: GET /profiles (companion 5.1). */
export const listProfiles: Operation<RequestContext, ProfilePage, Found> = {
  decide({ query: given }) {
    const { query } = given;
    return {
      pageNumber: Number(given['pageNumber']),
      pageSize: Number(given['pageSize']),
      query: typeof query === 'string' && query !== '' ? query : null,
    };
  },
  apply: async (page, { profiles, scope }) => ({ ...page, ...(await profiles.list(scope.projectId, page)) }),
  render: ({ rows, total, pageNumber, pageSize }) => ({
    status: 200,
    body: { items: rows.map(renderProfile), totalItems: total, pageNumber, pageSize },
  }),
};

interface Update {
  readonly profile: ProfileRef;
  readonly changes: ProfileChanges;
}

/** Changes a profile: PATCH /profiles/{profile_id} (companion 4.9). Answers 404 if the update finds no such profile. */
export const updateProfile: Operation<RequestContext, Update, ProfileRow> = {
  decide: (request, context) => ({
    profile: profileRef(request, context),
    changes: readBody(request, 'ProfileRequest'),
  }),
  async apply({ profile, changes }, { profiles }) {
    return (await profiles.update(profile, changes)) ?? problem('profile_not_found', {});
  },
  render: (profile) => ({ status: 200, body: renderProfile(profile) }),
};

/**
 * Deletes a profile: DELETE /profiles/{profile_id} (companion 5.1). The response is the same for an unknown profile.
 */
export const deleteProfile: Operation<RequestContext, ProfileRef, null> = {
  decide: profileRef,
  async apply(profile, { profiles }) {
    await profiles.remove(profile);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};

/** Returns the reference of the profile in the path, within the caller's project. */
function profileRef(request: ParsedRequest, { scope }: RequestContext): ProfileRef {
  return { projectId: scope.projectId, id: request.path['profile_id'] ?? '' };
}

/** Reads the body of a request that creates or changes a profile; {} without a body. */
const readBody: ReadBody<{ ProfileRequest: ProfileChanges }> = createBodyReader();

/** Renders a profile (companion 4.9). */
function renderProfile(profile: ProfileRow): JsonObject {
  return {
    id: profile.id,
    userId: profile.userId,
    name: profile.name,
    lastUsedAt: profile.lastUsedAt === null ? null : shownTime(profile.lastUsedAt),
    createdAt: shownTime(profile.createdAt),
    updatedAt: shownTime(profile.updatedAt),
    cookieDomains: parseDomains(profile.cookieDomains),
  };
}

/** Parses the cookie domains of a profile; null before a browser has reported them. */
function parseDomains(text: string | null): JsonValue {
  const domains: JsonValue = text === null ? null : JSON.parse(text);
  return domains;
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
