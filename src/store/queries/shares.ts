import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { ShareTable } from '../tables/sessions.ts';
import { inTransaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';

/** A public share of a session as the database holds it. */
export type ShareRow = Selectable<ShareTable>;

/** Returns the share of a session, or null. */
export async function findShare(db: Executor, sessionId: string): Promise<ShareRow | null> {
  return (await db.selectFrom('shares').selectAll().where('sessionId', '=', sessionId).executeTakeFirst()) ?? null;
}

/** A new share: its session, and a function that creates the token when the share is written. */
export interface NewShare {
  readonly sessionId: string;
  readonly makeToken: () => Pick<ShareRow, 'shareHash' | 'sealedTokens'>;
  readonly nowMs: number;
}

/** Inserts the share of a session, or returns the existing one; null for a deleted or unknown session. */
export function createShare(db: Database, { sessionId, makeToken, nowMs }: NewShare): Promise<ShareRow | null> {
  return inTransaction(
    db,
    async (trx) => {
      const query = trx.selectFrom('sessions').select('deletedAt').where('id', '=', sessionId);
      const session = await query.executeTakeFirst();
      if (session?.deletedAt !== null) return null;
      await trx
        .insertInto('shares')
        .values({ sessionId, ...makeToken(), viewCount: 0, createdAt: nowMs })
        .onConflict((conflict) => conflict.column('sessionId').doNothing())
        .execute();
      return trx.selectFrom('shares').selectAll().where('sessionId', '=', sessionId).executeTakeFirstOrThrow();
    },
    { of: [sessionId] },
  );
}

/** Deletes the share of a session; false when the session has no share. */
export async function deleteShare(db: Executor, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('shares').where('sessionId', '=', sessionId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Counts a view of a share and returns the id of its session; null for an unknown token. */
export async function countShareView(db: Executor, tokenHash: string, nowMs: number): Promise<string | null> {
  const viewed = await db
    .updateTable('shares')
    .set((eb) => ({ viewCount: eb('viewCount', '+', 1), lastViewedAt: nowMs }))
    .where('shareHash', '=', tokenHash)
    .returning('sessionId')
    .executeTakeFirst();
  return viewed?.sessionId ?? null;
}
