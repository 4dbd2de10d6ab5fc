import type { Updateable } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '#lib/clock.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { markLoose } from '#store/blobs/unreferenced-blobs.ts';
import {
  type ProfilePage,
  type ProfileRef,
  type ProfileRow,
  deleteProfile,
  findProfile,
  insertProfile,
  listProfiles,
  updateProfile,
} from '#store/queries/profiles.ts';
import type { ProfileTable } from '#store/schema.ts';
import { discardBlobs } from '../workspaces/index.ts';

/** What the owner of a profile chooses; an absent member keeps its value, null clears it. */
export interface ProfileChanges {
  readonly name?: string | null;
  readonly userId?: string | null;
}

/** The profiles of all projects, version-blind; a profile of another project does not exist. */
export interface Profiles {
  create(projectId: string, chosen: ProfileChanges): Promise<ProfileRow>;
  find(profile: ProfileRef): Promise<ProfileRow | null>;
  /** Newest first. */
  list(projectId: string, page: ProfilePage): Promise<{ rows: ProfileRow[]; total: number }>;
  /** Null when there is no such profile; without a named member nothing changes, the time of the update neither. */
  update(profile: ProfileRef, changes: ProfileChanges): Promise<ProfileRow | null>;
  /** With what browsers left in it, bytes included; without effect when there is no such profile. */
  remove(profile: ProfileRef): Promise<void>;
  /** Writes down that something was created with it now. */
  markUsed(profile: ProfileRef): Promise<void>;
}

/** Everything that profiles work with; all that varies is an argument. */
export interface ProfileParts {
  readonly db: Database;
  readonly clock: Clock;
  /** Where the states of profiles are kept. */
  readonly blobs: Blobs;
  readonly log: Logger;
  /** Makes a new uuid. */
  readonly newId: () => string;
}

/** Profiles in the database. */
export function createProfiles(parts: ProfileParts): Profiles {
  const { db, clock, newId } = parts;
  return {
    async create(projectId, { name = null, userId = null }) {
      const now = clock.now();
      const named = { id: newId(), project_id: projectId, name, user_id: userId };
      const fresh = { last_used_at: null, state_key: null, cookie_domains: null, created_at: now, updated_at: now };
      const profile: ProfileRow = { ...named, ...fresh };
      await insertProfile(db, profile);
      return profile;
    },
    find: (profile) => findProfile(db, profile),
    list: (projectId, page) => listProfiles(db, projectId, page),
    update(profile, changes) {
      const set = columnsOf(changes);
      return Object.keys(set).length === 0
        ? findProfile(db, profile)
        : updateProfile(db, profile, { ...set, updated_at: clock.now() });
    },
    async remove(profile) {
      const key = await inTransaction(
        db,
        async (trx) => {
          const deleted = await deleteProfile(trx, profile);
          if (deleted !== null) await markLoose(trx, deleted, clock.now());
          return deleted;
        },
        { of: [profile.id.toLowerCase(), profile.projectId] },
      );
      if (key !== null) await discardBlobs(parts, [key]);
    },
    async markUsed(profile) {
      await updateProfile(db, profile, { last_used_at: clock.now() });
    },
  };
}

function columnsOf({ name, userId }: ProfileChanges): Updateable<ProfileTable> {
  return { ...(name === undefined ? {} : { name }), ...(userId === undefined ? {} : { user_id: userId }) };
}
