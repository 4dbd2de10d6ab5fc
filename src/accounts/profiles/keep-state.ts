import type { Logger } from 'pino';
import type { BrowserState } from '#browsers/index.ts';
import { sealedStreamExtra } from '#lib/sealing/sealed-stream.ts';
import type { Clock } from '#lib/clock/clock.ts';
import type { Vault } from '#lib/sealing/vault.ts';
import type { Blobs } from '#store/blobs.ts';
import type { Database } from '#store/database.ts';
import { newBlobKey } from '#store/blob-key.ts';
import { exactly } from '#store/exactly.ts';
import { markLoose, unmarkLoose } from '#store/loose-blobs.ts';
import { setProfileState } from '#store/profiles.ts';
import { inTransaction } from '#store/in-transaction.ts';
import { discardBlobs } from '../workspaces/index.ts';
import { sealOwner } from './seal-owner.ts';

/** What keeps the states of browsers. */
export interface StateParts {
  readonly db: Database;
  readonly blobs: Blobs;
  /** Seals what is kept: whoever has it is signed in wherever its owner is. */
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Makes the state of a browser the one of its profile, in the place of the one before. The bytes are written under a loose key and
 * one transaction makes them the profile's: what fails in between leaves the state as it was. Without effect on a profile that
 * was deleted meanwhile.
 */
export async function keepState(parts: StateParts, profileId: string, state: BrowserState): Promise<void> {
  const { db, blobs, vault, clock } = parts;
  const key = newBlobKey('bin');
  await markLoose(db, key, clock.now());
  const size = state.size + sealedStreamExtra;
  await blobs.write(key, { bytes: exactly(vault.sealBytes(state.bytes, sealOwner(profileId)), size), size });
  const loose = await inTransaction(
    db,
    async (trx) => {
      const change = await setProfileState(trx, profileId, { key, cookieDomains: state.cookieDomains });
      if (change === null) return [key];
      await unmarkLoose(trx, [key]);
      if (change.before === null) return [];
      await markLoose(trx, change.before, clock.now());
      return [change.before];
    },
    { of: [profileId] },
  );
  await discardBlobs(parts, loose);
}
