import { type Insertable, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { type BrowserStatus, browserStatus, type SessionStatus } from '#generated/states.ts';
import { tokenHash } from '#lib/vault.ts';
import type { Database } from '../database.ts';
import { getDialect } from '../dialect.ts';
import type { BrowserTable } from '../tables/browsers.ts';
import { inTransaction } from '../transaction.ts';
import { changeTotal, countActive, getTotal } from './counts.ts';
import { leaseFor, type NotCreated } from './profiles.ts';
import { projectActiveMax } from './projects.ts';
import type { OpenedByKey } from './sessions.ts';
import type { OwnerColumns } from './workers.ts';
import type { Executor } from '../executor.ts';

/** A standalone browser as the database holds it. */
export type BrowserRow = Selectable<BrowserTable>;

/** A page of a project's browsers; `pageNumber` counts from 1. */
export interface BrowserPage {
  readonly pageNumber: number;
  readonly pageSize: number;
  /** Only browsers of this status; null for all. */
  readonly status: BrowserStatus | null;
  /** Labels that each listed browser must have. A label whose value is null matches any value. */
  readonly labels: readonly Label[];
}

/**
 * Inserts a browser and locks its profile. Inserts nothing and returns the reason if the profile is in use, or the
 * project has reached its limit of active sandboxes. The limit is that of the project, else `activeMax`. `living` are
 * the states of sessions that have not ended.
 */
export function insertBrowser(
  db: Database,
  fresh: { browser: Insertable<BrowserTable>; activeMax: number; living: readonly SessionStatus[] },
): Promise<{ created: true } | NotCreated> {
  return inTransaction(
    db,
    async (trx) => {
      const active = await countActive(trx, fresh.browser.projectId, fresh.living);
      const limit = await projectActiveMax(trx, fresh.browser.projectId, fresh.activeMax);
      if (active >= limit) return { created: false, active, limit };
      const profileHolder = await leaseFor(trx, fresh.browser, fresh.browser.startedAt);
      if (profileHolder !== null) return { created: false, profileHolder };
      await trx.insertInto('browsers').values(fresh.browser).execute();
      await changeTotal(trx, { projectId: fresh.browser.projectId, what: 'browsers', by: 1 });
      return { created: true };
    },
    { of: [fresh.browser.projectId] },
  );
}

/** Returns the browser with the given id if the project owns it, else null. */
export async function findBrowser(db: Executor, projectId: string, id: string): Promise<BrowserRow | null> {
  const query = db
    .selectFrom('browsers')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns whether a browser with the given id exists and was stopped. */
export async function isStopped(db: Executor, id: string): Promise<boolean> {
  const query = db.selectFrom('browsers').select('id').where('id', '=', id).where('status', '=', browserStatus.stopped);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns the browser with the given id, of any project. Throws when it does not exist. */
export function browserById(db: Executor, id: string): Promise<BrowserRow> {
  return db.selectFrom('browsers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Returns the browser whose DevTools URL contains a token, in any state; null for an unknown token. */
export async function browserByToken(db: Executor, token: string): Promise<BrowserRow | null> {
  return (
    (await db.selectFrom('browsers').selectAll().where('cdpHash', '=', tokenHash(token)).executeTakeFirst()) ?? null
  );
}

/** Returns one page of a project's browsers, newest first, and their total on all pages. */
export async function listBrowsers(
  db: Executor,
  projectId: string,
  { pageNumber, pageSize, status, labels }: BrowserPage,
): Promise<{ rows: BrowserRow[]; total: number }> {
  const owned = db.selectFrom('browsers').where('projectId', '=', projectId);
  const inStatus = status === null ? owned : owned.where('status', '=', status);
  const wanted = labels.reduce((query, label) => query.where(hasLabel(label, getDialect(db))), inStatus);
  const rows = await wanted
    .selectAll()
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((pageNumber - 1) * pageSize)
    .execute();
  const count = async (query: typeof wanted): Promise<number> =>
    (await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
  // Rows are counted only for active browsers, which are few, and for labels. The number of all browsers is stored.
  if (status === browserStatus.active || labels.length > 0) return { rows, total: await count(wanted) };
  const all = await getTotal(db, projectId, 'browsers');
  return { rows, total: status === null ? all : all - (await count(owned.where('status', '=', browserStatus.active))) };
}

/**
 * Marks the row of an active browser as ended at a time and deletes its custom proxy. Does nothing for an ended
 * browser.
 */
export async function finishBrowser(db: Executor, id: string, finishedAt: number): Promise<void> {
  await db
    .updateTable('browsers')
    .set({ status: browserStatus.stopped, finishedAt, customProxy: null })
    .where('id', '=', id)
    .where('status', '=', browserStatus.active)
    .execute();
}

/** Deletes the row of an active browser whose start failed. Returns false for an ended or unknown browser. */
export function forgetBrowser(db: Database, id: string): Promise<boolean> {
  return inTransaction(
    db,
    async (trx) => {
      const deleted = await trx
        .deleteFrom('browsers')
        .where('id', '=', id)
        .where('status', '=', browserStatus.active)
        .returning('projectId')
        .executeTakeFirst();
      if (deleted === undefined) return false;
      await changeTotal(trx, { projectId: deleted.projectId, what: 'browsers', by: -1 });
      return true;
    },
    { of: [id] },
  );
}

/**
 * Sets the proxy traffic of a browser since its creation, in bytes. The stored value never decreases, and is final once
 * the bill of the browser is settled.
 */
export async function bookTraffic(db: Executor, id: string, bytes: number): Promise<void> {
  await db
    .updateTable('browsers')
    .set({ proxyBytes: bytes })
    .where('id', '=', id)
    .where('proxyBytes', '<', bytes)
    .where('settled', '=', 0)
    .execute();
}

/** A label that a browser must have to match a filter. */
export interface Label {
  readonly key: string;
  /** Value of the label; null matches any value. */
  readonly value: string | null;
}

/** Builds the condition that a row of `browsers` has a label, in the SQL of the dialect. */
export function hasLabel({ key, value }: Label, dialect: ReturnType<typeof getDialect>): RawBuilder<SqlBool> {
  const labels = dialect === 'sqlite' ? sql`json_each(browsers.metadata)` : sql`json_each_text(${plainJson}::json)`;
  const found = sql`select 1 from ${labels} as label where label.key = ${key}`;
  return value === null ? sql`exists (${found})` : sql`exists (${found} and label.value = ${value})`;
}

/**
 * SQL of the metadata column with escaped NUL characters replaced, because PostgreSQL cannot parse them in JSON. Text
 * parameters are encoded in the same way.
 */
const plainJson = sql`regexp_replace(browsers.metadata, ${String.raw`(?<!\\)((\\\\)*)\\u0000`}, ${'\\1\0'}, 'g')`;

/** Computes the cost of a browser in micro-dollars. */
export type BrowserPrice = (browser: BrowserRow) => number;

/** Kind of total under which the settled bills of a project are stored. */
const what = 'micros of settled browsers';

/**
 * Returns the cost of all standalone browsers of a project in micro-dollars: the stored total of settled bills, plus
 * the price of each browser whose bill is not settled. Uses one statement, so that a browser that is settled meanwhile
 * counts once.
 */
export async function spentByBrowsers(db: Executor, projectId: string, price: BrowserPrice): Promise<number> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('totals', (join) => join.onRef('totals.projectId', '=', 'projects.id').on('totals.what', '=', what))
    .leftJoin('browsers', (join) => join.onRef('browsers.projectId', '=', 'projects.id').on('browsers.settled', '=', 0))
    .select('totals.count as settledMicros')
    .selectAll('browsers')
    .where('projects.id', '=', projectId)
    .execute();
  return rows.reduce((sum, row) => sum + (hasBrowser(row) ? price(row) : 0), rows[0]?.settledMicros ?? 0);
}

/** Returns the standalone browsers that a key has created since a time. */
export function browsersOfKey(db: Executor, { keyId, sinceMs }: OpenedByKey): Promise<BrowserRow[]> {
  return db.selectFrom('browsers').selectAll().where('keyId', '=', keyId).where('startedAt', '>=', sinceMs).execute();
}

/** Returns whether a row of the left join has a browser. */
function hasBrowser<Row extends { readonly id: string | null }>(row: Row): row is Row & BrowserRow {
  return row.id !== null;
}

/** Maximum number of browsers whose bills are settled in one transaction. */
const atOnce = 200;

/**
 * Adds the bills of browsers that were stopped before a time to the stored total of their project, and marks them as
 * settled; at most `atOnce` browsers per call. Settled bills do not change with later prices or traffic.
 */
export function settleBrowsers(
  db: Database,
  { projectId, finishedBefore }: { readonly projectId: string; readonly finishedBefore: number },
  price: BrowserPrice,
): Promise<void> {
  return inTransaction(
    db,
    async (trx) => {
      const rows = await trx
        .selectFrom('browsers')
        .selectAll()
        .where('projectId', '=', projectId)
        .where('settled', '=', 0)
        .where('finishedAt', '<', finishedBefore)
        .limit(atOnce)
        .execute();
      if (rows.length === 0) return;
      const ids = rows.map(({ id }) => id);
      await trx.updateTable('browsers').set({ settled: 1 }).where('id', 'in', ids).execute();
      await changeTotal(trx, { projectId, what, by: rows.reduce((sum, row) => sum + price(row), 0) });
    },
    { of: [projectId] },
  );
}

/** Assigns an unowned active browser to an owner; does nothing for any other browser. */
export async function takeUnownedBrowser(db: Executor, id: string, owner: OwnerColumns): Promise<void> {
  await db
    .updateTable('browsers')
    .set(owner)
    .where('id', '=', id)
    .where('owner', 'is', null)
    .where('status', '=', browserStatus.active)
    .execute();
}

/** Assigns to an owner all unowned active browsers without a URL, or with a URL that belongs to no living process. */
export async function adoptUnownedBrowsers(db: Executor, owner: OwnerColumns): Promise<void> {
  await db
    .updateTable('browsers')
    .set(owner)
    .where('status', '=', browserStatus.active)
    .where('owner', 'is', null)
    .where((eb) =>
      eb.or([
        eb('ownerUrl', 'is', null),
        eb('ownerUrl', 'not in', eb.selectFrom('workers').select('url').where('buriedAt', 'is', null)),
      ]),
    )
    .execute();
}

/**
 * Clears the owner of a browser. Does nothing for a browser with a different owner, and if `owner` is null. The URL of
 * the owner stays, because the worker may restart at the same URL.
 */
export async function freeBrowser(db: Executor, id: string, owner: string | null): Promise<void> {
  await db.updateTable('browsers').set({ owner: null }).where('id', '=', id).where('owner', '=', owner).execute();
}

/**
 * Clears the owner of all browsers of a worker. The URLs of the owner stay, because the worker may restart at the same
 * URL.
 */
export async function freeOwnedBrowsers(db: Executor, owner: string): Promise<void> {
  await db.updateTable('browsers').set({ owner: null }).where('owner', '=', owner).execute();
}

/** Returns the active browsers of an owner with their booked traffic in bytes; no browsers for null. */
export async function listOwnedBrowsers(
  db: Executor,
  owner: string | null,
): Promise<readonly { readonly id: string; readonly bookedBytes: number }[]> {
  const rows = await db
    .selectFrom('browsers')
    .select(['id', 'proxyBytes'])
    .where('owner', '=', owner)
    .where('status', '=', browserStatus.active)
    .execute();
  return rows.map(({ id, proxyBytes: bookedBytes }) => ({ id, bookedBytes }));
}
