import type { Database } from './database.ts';
import type { BrowserRow } from './browsers.ts';
import { inTransaction } from './in-transaction.ts';
import { changeTotal } from './totals.ts';

/** Returns what a browser has cost, in micro-dollars. */
export type BrowserPrice = (browser: BrowserRow) => number;

/** The settled bills of a project, among its totals. */
const what = 'micros of settled browsers';

/**
 * What all standalone browsers of a project have cost, in micro-dollars: those that are settled by their total, the others by their price.
 * One statement, so that none is counted twice or left out that is settled meanwhile.
 */
export async function spentByBrowsers(db: Database, projectId: string, price: BrowserPrice): Promise<number> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('totals', (join) => join.onRef('totals.project_id', '=', 'projects.id').on('totals.what', '=', what))
    .leftJoin('browsers', (join) =>
      join.onRef('browsers.project_id', '=', 'projects.id').on('browsers.settled', '=', 0),
    )
    .select('totals.count as settled_micros')
    .selectAll('browsers')
    .where('projects.id', '=', projectId)
    .execute();
  return rows.reduce((sum, row) => sum + (isThere(row) ? price(row) : 0), rows[0]?.settled_micros ?? 0);
}

function isThere<Row extends { readonly id: string | null }>(row: Row): row is Row & BrowserRow {
  return row.id !== null;
}

/** How many are settled in one transaction. */
const atOnce = 200;

/** Settles browsers of a project that were stopped before a time: from then on their bills stand, later prices and traffic included. */
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
        .where('project_id', '=', projectId)
        .where('settled', '=', 0)
        .where('finished_at', '<', finishedBefore)
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
