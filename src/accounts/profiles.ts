/*
 * Browser profiles: browser state that a project keeps between browsers, under a name and user id of its choice. All
 * API versions of a project see the same profiles. The profile operations and the code that creates sessions and
 * browsers call this module. Profile state is encrypted in the blob store; a lease allows one holder at a time. This
 * module must not know how an API version renders a profile, nor the content of the state, which belongs to the host.
 */

import type { Logger } from 'pino';
import type { Clock } from '#lib/clock.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import {
  deleteProfile,
  findProfile,
  insertProfile,
  listProfiles,
  type ProfileUpdate,
  type ProfilePage,
  type ProfileRef,
  type ProfileRow,
  updateProfile,
} from '#store/queries/profiles.ts';
import { inTransaction } from '#store/transaction.ts';
import { discardBlobs } from './workspaces/files.ts';
import type { Database } from '#store/database.ts';

/**
 * Changes of a profile. A member that is absent keeps the stored value; a member that is null clears the stored value.
 */
export interface ProfileChanges {
  readonly name?: string | null;
  readonly userId?: string | null;
}

/** Profiles of all projects. A profile of another project is treated as absent. */
export interface Profiles {
  create(projectId: string, chosen: ProfileChanges): Promise<ProfileRow>;
  find(profile: ProfileRef): Promise<ProfileRow | null>;
  /** Returns a page of profiles, newest first, and the total number of profiles. */
  list(projectId: string, page: ProfilePage): Promise<{ rows: ProfileRow[]; total: number }>;
  /**
   * Updates a profile and returns it; null for an unknown profile. Without changes, the update time stays unchanged.
   */
  update(profile: ProfileRef, changes: ProfileChanges): Promise<ProfileRow | null>;
  /** Removes a profile and its stored state; has no effect on an unknown profile. */
  remove(profile: ProfileRef): Promise<void>;
  /** Records that a session or browser was created with the profile now. */
  markUsed(profile: ProfileRef): Promise<void>;
}

/** Dependencies of {@link createProfiles}. */
export interface ProfileDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Store of the profile states. */
  readonly blobs: Blobs;
  readonly log: Logger;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

/** Creates the management of the profiles in a database. */
export function createProfiles(deps: ProfileDeps): Profiles {
  const { db, clock, newId } = deps;
  return {
    async create(projectId, { name = null, userId = null }) {
      const now = clock.now();
      const named = { id: newId(), projectId, name, userId };
      const fresh = { lastUsedAt: null, stateKey: null, cookieDomains: null, createdAt: now, updatedAt: now };
      const profile: ProfileRow = { ...named, ...fresh };
      await insertProfile(db, profile);
      return profile;
    },
    find: (profile) => findProfile(db, profile),
    list: (projectId, page) => listProfiles(db, projectId, page),
    update(profile, changes) {
      const set = changedColumns(changes);
      return Object.keys(set).length === 0
        ? findProfile(db, profile)
        : updateProfile(db, profile, { ...set, updatedAt: clock.now() });
    },
    async remove(profile) {
      const key = await inTransaction(
        db,
        async (trx) => {
          const deleted = await deleteProfile(trx, profile);
          if (deleted !== null) await markUnreferenced(trx, deleted, clock.now());
          return deleted;
        },
        { of: [profile.id.toLowerCase(), profile.projectId] },
      );
      if (key !== null) await discardBlobs(deps, [key]);
    },
    async markUsed(profile) {
      await updateProfile(db, profile, { lastUsedAt: clock.now() });
    },
  };
}

function changedColumns({ name, userId }: ProfileChanges): ProfileUpdate {
  return { ...(name === undefined ? {} : { name }), ...(userId === undefined ? {} : { userId }) };
}
