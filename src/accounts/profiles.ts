/*
 * Browser profiles: what a project keeps between browsers, under a name and a user of its own choice. Every generation of a
 * project sees the same profiles. Called by the operations on profiles and by whatever creates a session or browser with one.
 * What browsers leave in them lies sealed in the blob store (`browser-profiles.ts`); one holder at a time has a lease on each.
 * Must not know how a generation shows a profile, nor what the state of a browser consists of: that belongs to the host.
 */

import type { Updateable } from 'kysely';
import type { Logger } from 'pino';
import type { BrowserHost } from '#browsers/host.ts';
import type { BrowserProfile, BrowserState } from '#browsers/index.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { sealedStreamExtra, type Vault } from '#lib/vault.ts';
import { type Blobs, exactLength, newBlobKey } from '#store/blobs/blobs.ts';
import { markUnreferenced, unmarkUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import type { Database } from '#store/database.ts';
import {
  deleteProfile,
  findProfile,
  insertProfile,
  leaseHolder,
  listProfiles,
  profileById,
  type ProfilePage,
  type ProfileRef,
  type ProfileRow,
  releaseLease,
  renewLeases,
  setProfileState,
  takeLease,
  updateProfile,
} from '#store/queries/profiles.ts';
import { findOwnerUrl } from '#store/queries/workers.ts';
import type { ProfileTable } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';
import { discardBlobs } from './workspaces/files.ts';

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
export interface ProfileDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Where the states of profiles are kept. */
  readonly blobs: Blobs;
  readonly log: Logger;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

/** Profiles in the database. */
export function createProfiles(deps: ProfileDeps): Profiles {
  const { db, clock, newId } = deps;
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
          if (deleted !== null) await markUnreferenced(trx, deleted, clock.now());
          return deleted;
        },
        { of: [profile.id.toLowerCase(), profile.projectId] },
      );
      if (key !== null) await discardBlobs(deps, [key]);
    },
    async markUsed(profile) {
      await updateProfile(db, profile, { last_used_at: clock.now() });
    },
  };
}

function columnsOf({ name, userId }: ProfileChanges): Updateable<ProfileTable> {
  return { ...(name === undefined ? {} : { name }), ...(userId === undefined ? {} : { user_id: userId }) };
}

/** Everything that profiles in browsers work with; all that varies is an argument. */
export interface BrowserProfileDeps extends StateDeps {
  readonly rules: RuleBook;
  /** Where this process is one of several: the address where clients reach it, if that is known before it listens. */
  readonly shared?: { readonly url: string | null };
}

/** Profiles as browsers use them: each by one holder at a time, a session or a standalone browser. */
export interface BrowserProfiles {
  /**
   * Returns another holder of the profile, after asking idle holders to release it; null for none and without a
   * profile.
   */
  otherHolder(holderId: string, profileId: string | null | undefined): Promise<string | null>;
  /**
   * The profile for the next browser of a holder, from now on the holder's until it is released; null for none, and for one that
   * was deleted. Rejects with {@link ProfileInUse}.
   */
  open(holderId: string, profileId: string | null): Promise<BrowserProfile | null>;
  /** Gives back what a holder has; to be called when its last browser has gone. */
  release(holderId: string): Promise<void>;
  /** Asked for a holder's profile: settles when it has given it back, or is not going to. To be called before anything starts. */
  onWanted(yields: (holderId: string) => Promise<void>): void;
}

/** Finds again what an earlier service left, with and without its browsers; then profiles can be used. */
export async function createBrowserProfiles(deps: BrowserProfileDeps, host: BrowserHost): Promise<BrowserProfiles> {
  const { db, clock, shared } = deps;
  await host.rescue(async (id) => ((await mayRescue(deps, id)) ? profileOf(deps, id) : null));
  // With several processes, reclaiming a dead one releases its profile locks.
  if (shared === undefined) await renewLeases(db, clock.now());
  const holders: ((holderId: string) => Promise<void>)[] = [];
  const otherHolder: BrowserProfiles['otherHolder'] = async (holderId, profileId = null) => {
    if (profileId === null) return null;
    const other = async (): Promise<string | null> => {
      const holder = await leaseHolder(db, profileId);
      return holder === holderId ? null : holder;
    };
    const asked = await other();
    if (asked === null) return null;
    for (const yields of holders) await yields(asked);
    return other();
  };
  return {
    otherHolder,
    async open(holderId, profileId) {
      if (profileId === null) return null;
      const lease = { profileId, holderId, now: clock.now() };
      await otherHolder(holderId, profileId);
      const holder = await takeLease(db, lease);
      if (holder !== null) throw new ProfileInUse(holder);
      return profileOf(deps, profileId);
    },
    release: (holderId) => releaseLease(db, holderId),
    onWanted: (yields) => void holders.push(yields),
  };
}

/** What was left of a profile counts unless another process uses the profile by now, which began without it. */
async function mayRescue({ db, shared }: BrowserProfileDeps, profileId: string): Promise<boolean> {
  if (shared === undefined) return true;
  const holder = await leaseHolder(db, profileId);
  return holder === null || (await findOwnerUrl(db, holder)) === shared.url;
}

/** Null for a profile that is no more. */
async function profileOf(deps: BrowserProfileDeps, id: string): Promise<BrowserProfile | null> {
  const { db, blobs, vault, rules } = deps;
  if ((await profileById(db, id)) === null) return null;
  return {
    id,
    bytesMax: getLimit(rules, 'profileBytes'),
    filesMax: getLimit(rules, 'profileFiles'),
    async load() {
      const key = (await profileById(db, id))?.state_key ?? null;
      if (key === null) return null;
      const sealed = await blobs.read(key);
      if (sealed === null) throw new Error(`found no bytes of the profile ${id}, expected them under ${key}`);
      return vault.openBytes(sealed, sealOwner(id));
    },
    keep: (state) => keepState(deps, id, state),
  };
}

/** What keeps the states of browsers. */
interface StateDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  /** Encrypts profile state, which contains sign-ins. */
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes the state of a browser the one of its profile, in the place of the one before. The bytes are written under a loose key and
 * one transaction makes them the profile's: what fails in between leaves the state as it was. Without effect on a profile that
 * was deleted meanwhile.
 */
async function keepState(deps: StateDeps, profileId: string, state: BrowserState): Promise<void> {
  const { db, blobs, vault, clock } = deps;
  const key = newBlobKey('bin');
  await markUnreferenced(db, key, clock.now());
  const size = state.size + sealedStreamExtra;
  await blobs.write(key, { bytes: exactLength(vault.sealBytes(state.bytes, sealOwner(profileId)), size), size });
  const loose = await inTransaction(
    db,
    async (trx) => {
      const change = await setProfileState(trx, profileId, { key, cookieDomains: state.cookieDomains });
      if (change === null) return [key];
      await unmarkUnreferenced(trx, [key]);
      if (change.before === null) return [];
      await markUnreferenced(trx, change.before, clock.now());
      return [change.before];
    },
    { of: [profileId] },
  );
  await discardBlobs(deps, loose);
}

/** The name under which the state of a profile is sealed: it opens for no other profile. */
function sealOwner(profileId: string): string {
  return `profile ${profileId}`;
}

/** Thrown when a profile is in use; `holderId` is the session or browser that holds it. */
export class ProfileInUse extends Error {
  readonly holderId: string;

  constructor(holderId: string) {
    super(`the profile is used by ${holderId}`);
    this.holderId = holderId;
  }
}
