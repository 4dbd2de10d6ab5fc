/*
 * Public shares of sessions: an unguessable address for each that is shared, and how often it was seen. Called by the V2
 * operations and by the page behind the address. A share ends with its session. Must not know how a page looks.
 */

import type { Selectable } from 'kysely';
import type { Clock } from '#lib/clock.ts';
import { type AccessTokens, tokenHash } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';
import { runsIn, stepsOf } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { RunOfSession, SessionRow, ShareTable, StepRow } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';

/** A share as the database holds it. */
export type ShareRow = Selectable<ShareTable>;

/** What a share shows: a session and its tasks, oldest first, each with its steps. */
export interface Shared {
  readonly session: SessionRow;
  readonly tasks: readonly (RunOfSession & { readonly steps: readonly StepRow[] })[];
}

/** The shares of sessions; whether a caller may see the session has been checked before. */
export interface Shares {
  find(sessionId: string): Promise<ShareRow | null>;
  /** Shares a session, or answers the share that it has; null when the session was deleted meanwhile. */
  create(sessionId: string): Promise<ShareRow | null>;
  /** Ends a share; false when the session has none. */
  remove(sessionId: string): Promise<boolean>;
  /** What an address shows, counted as one view; null for an address that shows nothing (any more). */
  view(token: string): Promise<Shared | null>;
}

/** Everything that shares work with. */
export interface ShareDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly tokens: Pick<AccessTokens, 'make'>;
}

/** Shares in the database. */
export function createShares(deps: ShareDeps): Shares {
  const { db } = deps;
  return {
    find: (sessionId) => findShare(db, sessionId),
    create: (sessionId) => createShare(deps, sessionId),
    async remove(sessionId) {
      const { numDeletedRows } = await db.deleteFrom('shares').where('session_id', '=', sessionId).executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async view(token) {
      const sessionId = await countView(deps, token);
      return sessionId === null ? null : shownBy(db, sessionId);
    },
  };
}

async function findShare(db: Database, sessionId: string): Promise<ShareRow | null> {
  return (await db.selectFrom('shares').selectAll().where('session_id', '=', sessionId).executeTakeFirst()) ?? null;
}

function createShare({ db, clock, tokens }: ShareDeps, sessionId: string): Promise<ShareRow | null> {
  return inTransaction(
    db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .select('deleted_at')
        .where('id', '=', sessionId)
        .executeTakeFirst();
      if (session?.deleted_at !== null) return null;
      const opened = tokens.make(sessionId, ['share']);
      const share = { session_id: sessionId, ...opened, view_count: 0, created_at: clock.now() };
      await trx
        .insertInto('shares')
        .values(share)
        .onConflict((conflict) => conflict.column('session_id').doNothing())
        .execute();
      return trx.selectFrom('shares').selectAll().where('session_id', '=', sessionId).executeTakeFirstOrThrow();
    },
    { of: [sessionId] },
  );
}

async function countView({ db, clock }: ShareDeps, token: string): Promise<string | null> {
  const viewed = await db
    .updateTable('shares')
    .set((eb) => ({ view_count: eb('view_count', '+', 1), last_viewed_at: clock.now() }))
    .where('share_hash', '=', tokenHash(token))
    .returning('session_id')
    .executeTakeFirst();
  return viewed?.session_id ?? null;
}

async function shownBy(db: Database, sessionId: string): Promise<Shared> {
  const session = await sessionById(db, sessionId);
  const runs = await runsIn(db, session);
  const tasks = await Promise.all(runs.map(async (found) => ({ ...found, steps: await stepsOf(db, found.run.id) })));
  return { session, tasks };
}
