import type { Insertable, Selectable } from 'kysely';
import { tokenHash } from '#lib/sealing/access-tokens.ts';
import { activeMaxOf, countActive } from './active.ts';
import type { Database } from './database.ts';
import { dialectOf } from './dialect-of.ts';
import { type Label, hasLabel } from './has-label.ts';
import { inTransaction } from './in-transaction.ts';
import { type NotCreated, leaseFor } from './profile-leases.ts';
import type { BrowserTable } from './schema.ts';
import { changeTotal, totalOf } from './totals.ts';

/** A standalone browser as the database holds it. */
export type BrowserRow = Selectable<BrowserTable>;

/** A page of a project's browsers; `pageNumber` counts from 1. */
export interface BrowserPage {
  readonly pageNumber: number;
  readonly pageSize: number;
  /** Only browsers of this status; null for all. */
  readonly status: string | null;
  /** Labels that all have to be there, each with its value unless that is null. */
  readonly labels: readonly Label[];
}

/**
 * Writes a browser, unless the project already has its own limit or else `activeMax` of living sandboxes, or somebody else uses its profile. `living` are
 * the states of living sessions.
 */
export function insertBrowser(
  db: Database,
  fresh: { browser: Insertable<BrowserTable>; activeMax: number; living: readonly string[] },
): Promise<{ created: true } | NotCreated> {
  return inTransaction(
    db,
    async (trx) => {
      const active = await countActive(trx, fresh.browser.project_id, fresh.living);
      const limit = await activeMaxOf(trx, fresh.browser.project_id, fresh.activeMax);
      if (active >= limit) return { created: false, active, limit };
      const profileHolder = await leaseFor(trx, fresh.browser, fresh.browser.started_at);
      if (profileHolder !== null) return { created: false, profileHolder };
      await trx.insertInto('browsers').values(fresh.browser).execute();
      await changeTotal(trx, { projectId: fresh.browser.project_id, what: 'browsers', by: 1 });
      return { created: true };
    },
    { of: [fresh.browser.project_id] },
  );
}

/** The browser of that id if the project owns it, else null. */
export async function findBrowser(db: Database, projectId: string, id: string): Promise<BrowserRow | null> {
  const query = db
    .selectFrom('browsers')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Whether there is a browser of that id and it has been stopped. */
export async function isStopped(db: Database, id: string): Promise<boolean> {
  const query = db.selectFrom('browsers').select('id').where('id', '=', id).where('status', '=', 'stopped');
  return (await query.executeTakeFirst()) !== undefined;
}

/** The browser of that id, whoever owns it. Throws when it does not exist. */
export function browserById(db: Database, id: string): Promise<BrowserRow> {
  return db.selectFrom('browsers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** The browser that a DevTools token stands for, whatever its state, or null. */
export async function browserByToken(db: Database, token: string): Promise<BrowserRow | null> {
  return (
    (await db.selectFrom('browsers').selectAll().where('cdp_hash', '=', tokenHash(token)).executeTakeFirst()) ?? null
  );
}

/** One page of a project's browsers, newest first, and how many there are on all pages. */
export async function listBrowsers(
  db: Database,
  projectId: string,
  { pageNumber, pageSize, status, labels }: BrowserPage,
): Promise<{ rows: BrowserRow[]; total: number }> {
  const owned = db.selectFrom('browsers').where('project_id', '=', projectId);
  const inStatus = status === 'active' || status === 'stopped' ? owned.where('status', '=', status) : owned;
  const wanted = labels.reduce((query, label) => query.where(hasLabel(label, dialectOf(db))), inStatus);
  const rows = await wanted
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((pageNumber - 1) * pageSize)
    .execute();
  const count = async (query: typeof wanted): Promise<number> =>
    (await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
  // All are counted as they come, and those that run are few: labels alone have to be looked for.
  if (status === 'active' || labels.length > 0) return { rows, total: await count(wanted) };
  const all = await totalOf(db, projectId, 'browsers');
  return { rows, total: status === null ? all : all - (await count(owned.where('status', '=', 'active'))) };
}

/** Ends an active browser's row at a time and forgets its proxy; without effect on one that has ended. */
export async function finishBrowser(db: Database, id: string, finishedAt: number): Promise<void> {
  await db
    .updateTable('browsers')
    .set({ status: 'stopped', finished_at: finishedAt, custom_proxy: null })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .execute();
}

/** Takes the row of an active browser out again that was never started; false when it has ended. */
export function forgetBrowser(db: Database, id: string): Promise<boolean> {
  return inTransaction(
    db,
    async (trx) => {
      const gone = await trx
        .deleteFrom('browsers')
        .where('id', '=', id)
        .where('status', '=', 'active')
        .returning('project_id')
        .executeTakeFirst();
      if (gone === undefined) return false;
      await changeTotal(trx, { projectId: gone.project_id, what: 'browsers', by: -1 });
      return true;
    },
    { of: [id] },
  );
}

/** Writes how many bytes have crossed the proxy for a browser in its whole life; they never become fewer, and stand when its bill is settled. */
export async function bookTraffic(db: Database, id: string, bytes: number): Promise<void> {
  await db
    .updateTable('browsers')
    .set({ proxy_bytes: bytes })
    .where('id', '=', id)
    .where('proxy_bytes', '<', bytes)
    .where('settled', '=', 0)
    .execute();
}
