/*
 * Public shares of sessions: an unguessable URL for each shared session, with a counter of views. The V2 operations
 * create and remove them, and the page behind the URL reads them. A share ends with its session. This module must not
 * know how a page looks.
 */

import type { Selectable } from 'kysely';
import type { Clock } from '#lib/clock.ts';
import { type AccessTokens, tokenHash } from '#lib/vault.ts';
import type { Database } from '#store/database.ts';
import { runsIn, stepsOf } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { RunOfSession, SessionRow, ShareTable, StepRow } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';

/** A row of the table `shares`. */
export type ShareRow = Selectable<ShareTable>;

/** Content of a share: a session and its tasks, oldest first, each with its steps. */
export interface Shared {
  readonly session: SessionRow;
  readonly tasks: readonly (RunOfSession & { readonly steps: readonly StepRow[] })[];
}

/** Shares of sessions. Callers check first that the session belongs to the project. */
export interface Shares {
  find(sessionId: string): Promise<ShareRow | null>;
  /** Shares a session, or returns its existing share; null when the session was deleted in the meantime. */
  create(sessionId: string): Promise<ShareRow | null>;
  /** Removes a share; returns false when the session has none. */
  remove(sessionId: string): Promise<boolean>;
  /** Returns the content of a share and counts one view; null for an unknown or expired token. */
  view(token: string): Promise<Shared | null>;
}

/** Dependencies of shares. */
export interface ShareDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly tokens: Pick<AccessTokens, 'make'>;
}

/** Creates shares in the database. */
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
