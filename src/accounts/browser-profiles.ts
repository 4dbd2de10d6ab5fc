import type { Logger } from 'pino';
import type { BrowserHost } from '#browsers/host.ts';
import type { BrowserProfile, BrowserState } from '#browsers/index.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { sealedStreamExtra, type Vault } from '#lib/vault.ts';
import { type Blobs, exactLength, newBlobKey } from '#store/blobs/blobs.ts';
import { markUnreferenced, unmarkUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import {
  leaseHolder,
  profileById,
  releaseLease,
  renewLeases,
  setProfileState,
  takeLease,
} from '#store/queries/profiles.ts';
import { findOwnerUrl } from '#store/queries/workers.ts';
import { inTransaction } from '#store/transaction.ts';
import { discardBlobs } from './workspaces/files.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of {@link createBrowserProfiles}. */
export interface BrowserProfileDeps extends StateDeps {
  readonly rules: RuleBook;
  /**
   * Present if several processes use the database. `url` is the URL of this process; null if the URL is unknown until
   * the process listens.
   */
  readonly shared?: { readonly url: string | null };
}

/** Profiles in use by browsers. Each profile has at most one holder: a session or a standalone browser. */
export interface BrowserProfiles {
  /**
   * Asks the holder of a profile, unless it is `holderId`, to release the profile. Returns this holder if it keeps the
   * profile; null if the profile is free, or for no profile.
   */
  otherHolder(holderId: string, profileId: string | null | undefined): Promise<string | null>;
  /**
   * Locks the profile for a holder until its release, and returns the profile; null for no profile and for a deleted
   * profile. Rejects with {@link ProfileInUse} if another holder keeps the profile.
   */
  open(holderId: string, profileId: string | null): Promise<BrowserProfile | null>;
  /** Releases the profile of a holder; called when the last browser of the holder has closed. */
  release(holderId: string): Promise<void>;
  /**
   * Registers a function that asks a holder to release its profile. When a browser needs a profile that has another
   * holder, every registered function is called with the id of that holder. The promise of the function resolves when
   * the holder has released the profile or decided to keep it. Register functions before the first browser starts.
   */
  onWanted(yields: (holderId: string) => Promise<void>): void;
}

/** Creates the management of profiles in use, after recovering profile state that an earlier process left behind. */
export async function createBrowserProfiles(deps: BrowserProfileDeps, host: BrowserHost): Promise<BrowserProfiles> {
  const { db, clock, shared } = deps;
  await host.rescue(async (id) => ((await mayRescue(deps, id)) ? readProfile(deps, id) : null));
  // With several processes, the reclaim of a dead process releases its profile locks.
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
      return readProfile(deps, profileId);
    },
    release: (holderId) => releaseLease(db, holderId),
    onWanted: (yields) => void holders.push(yields),
  };
}

/**
 * Returns whether the saved state of a killed browser may replace the state of the profile. With several processes,
 * returns false while a session or browser of another process holds the profile.
 */
async function mayRescue({ db, shared }: BrowserProfileDeps, profileId: string): Promise<boolean> {
  if (shared === undefined) return true;
  const holder = await leaseHolder(db, profileId);
  return holder === null || (await findOwnerUrl(db, holder)) === shared.url;
}

/** Returns a profile; null if it was deleted. */
async function readProfile(deps: BrowserProfileDeps, id: string): Promise<BrowserProfile | null> {
  const { db, blobs, vault, rules } = deps;
  if ((await profileById(db, id)) === null) return null;
  return {
    id,
    bytesMax: getLimit(rules, 'profileBytes'),
    filesMax: getLimit(rules, 'profileFiles'),
    async load() {
      const key = (await profileById(db, id))?.stateKey ?? null;
      if (key === null) return null;
      const sealed = await blobs.read(key);
      if (sealed === null) throw new Error(`found no bytes of the profile ${id}, expected them under ${key}`);
      return vault.openBytes(sealed, sealOwner(id));
    },
    keep: (state) => keepState(deps, id, state),
  };
}

/** Dependencies of stored profile state. */
interface StateDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  /** Encrypts profile state, which contains sign-ins. */
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Replaces the state of a profile by the state of a browser. The bytes are written under an unreferenced key, and one
 * transaction assigns this key to the profile, so that a failure keeps the old state. Has no effect on a deleted
 * profile.
 */
async function keepState(deps: StateDeps, profileId: string, state: BrowserState): Promise<void> {
  const { db, blobs, vault, clock } = deps;
  const key = newBlobKey('bin');
  await markUnreferenced(db, key, clock.now());
  const size = state.size + sealedStreamExtra;
  await blobs.write(key, { bytes: exactLength(vault.sealBytes(state.bytes, sealOwner(profileId)), size), size });
  const unreferenced = await inTransaction(
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
  await discardBlobs(deps, unreferenced);
}

/**
 * Returns the owner name that is bound to the encrypted state of a profile, so that no other profile can decrypt this
 * state.
 */
function sealOwner(profileId: string): string {
  return `profile ${profileId}`;
}

/** Thrown when a profile is in use; `holderId` is the session or browser that has locked the profile. */
export class ProfileInUse extends Error {
  readonly holderId: string;

  constructor(holderId: string) {
    super(`the profile is used by ${holderId}`);
    this.holderId = holderId;
  }
}
