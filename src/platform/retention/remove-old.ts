import type { Transaction } from 'kysely';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { type Erasure, eraseOwn, markForPurge, markPurged, pictureKeys } from '#store/queries/erase-session.ts';
import { markAllLoose } from '#store/blobs/unreferenced-blobs.ts';
import type { Tables } from '#store/schema.ts';
import { archiveWithin, discardBlobs } from '#accounts/workspaces/index.ts';
import { type OldQuery, findOld } from './find-old.ts';
import type { RetentionKind } from './periods.ts';
import type { Logger } from 'pino';

/** What removing needs. */
export interface RemoveParts {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly log: Logger;
}

/** One thing that was found, and what is to be true of it still. */
export interface Removal {
  readonly kind: RetentionKind;
  readonly id: string;
  readonly query: Pick<OldQuery, 'ended' | 'before'>;
  readonly erasure: Erasure;
}

/** Takes something away within a transaction, its bytes put on the list of loose blobs; answers their keys. */
type Remover = (trx: Transaction<Tables>, id: string, erasure: Erasure) => Promise<readonly string[]>;

const removers: Readonly<Record<RetentionKind, Remover>> = {
  sessions: removeSession,
  deletedSessions: removeSession,
  async events(trx, id) {
    await trx.deleteFrom('events').where('session_id', '=', id).execute();
    return [];
  },
  async screenshots(trx, id, { now }) {
    const keys = await pictureKeys(trx, id);
    await trx.updateTable('sessions').set({ screenshot_key: null }).where('id', '=', id).execute();
    await trx.updateTable('steps').set({ screenshot_key: null }).where('session_id', '=', id).execute();
    await trx.deleteFrom('pictures').where('session_id', '=', id).execute();
    await markAllLoose(trx, keys, now);
    return keys;
  },
  recordings: (trx, id, erasure) => removeRow('recordings', { trx, id }, erasure),
  downloads: (trx, id, erasure) => removeRow('downloads', { trx, id }, erasure),
  workspaces: (trx, id, { now }) => archiveWithin(trx, id, now),
};

/**
 * Removes something, unless it is not old any more or something refers to it by now: both are one transaction. Its bytes go behind its
 * row, and what the store does not remove now goes at the next start. Answers whether it was removed.
 */
export async function removeOld(parts: RemoveParts, { kind, id, query, erasure }: Removal): Promise<boolean> {
  const keys = await inTransaction(
    parts.db,
    async (trx) => {
      const [still] = await findOld(kind, { ...query, db: trx, limit: 1, only: id });
      return still === undefined ? null : removers[kind](trx, id, erasure);
      // What may refer to it is of any kind.
    },
    { of: 'everything' },
  );
  if (keys === null) return false;
  await discardBlobs(parts, keys);
  return true;
}

/** From then on it is as if it had been purged: its meters stay, because the bill is made of them. */
async function removeSession(trx: Transaction<Tables>, id: string, erasure: Erasure): Promise<readonly string[]> {
  await markForPurge(trx, id, erasure.now);
  const keys = await eraseOwn(trx, id, erasure);
  await markPurged(trx, id);
  return keys;
}

async function removeRow(
  table: 'recordings' | 'downloads',
  { trx, id }: { readonly trx: Transaction<Tables>; readonly id: string },
  { now }: Erasure,
): Promise<readonly string[]> {
  const rows = await trx.deleteFrom(table).where('id', '=', id).returning('blob_key').execute();
  const keys = rows.flatMap(({ blob_key: key }) => (key === null ? [] : [key]));
  await markAllLoose(trx, keys, now);
  return keys;
}
