import { type BrowserBill, browserBill } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { type BrowserRow, browsersOfKey, spentByBrowsers } from '#store/queries/browsers.ts';
import { meteredSessionsOfKey } from '#store/queries/sessions.ts';
import { sessionCosts, spentBy } from './meters.ts';
import type { Executor } from '#store/executor.ts';
import type { Database } from '#store/database.ts';

/** Function that returns the total spend of a project in micro-dollars. */
export type ProjectSpendReader = (projectId: string) => Promise<number>;

/** Total spend of projects: the costs of their sessions and standalone browsers. */
export interface ProjectSpend {
  /** Returns the spend so far, prepaid browser time included. */
  readonly total: ProjectSpendReader;
  /** Returns the spend if all browsers were stopped now, without unused prepaid time. This amount never decreases. */
  readonly used: ProjectSpendReader;
}

/** Sources of a project's spend in a running service: its session engine and its standalone browsers. */
export interface SpendParts {
  readonly sessions: { readonly spentBy: ProjectSpendReader };
  readonly browsers: { readonly spentBy: ProjectSpendReader; readonly usedBy: ProjectSpendReader };
}

/** Creates the calculation of a project's spend from its session costs and its browser costs. */
export function createProjectSpend({ sessions, browsers }: SpendParts): ProjectSpend {
  return {
    total: sumReaders(
      (id) => sessions.spentBy(id),
      (id) => browsers.spentBy(id),
    ),
    used: sumReaders(
      (id) => sessions.spentBy(id),
      (id) => browsers.usedBy(id),
    ),
  };
}

function sumReaders(ofSessions: ProjectSpendReader, ofBrowsers: ProjectSpendReader): ProjectSpendReader {
  return async (projectId) => (await ofSessions(projectId)) + (await ofBrowsers(projectId));
}

/** Dependencies for computing the spend in a process without a running service. */
export interface StoredSpendDeps {
  readonly db: Database;
  readonly rules: RuleBook;
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates a reader of the stored spend of projects, without unbooked traffic of living browsers. */
export function storedSpend(deps: StoredSpendDeps): ProjectSpendReader {
  const { db, rules, clock } = deps;
  const stored = { ...deps, sandboxes: { unbookedBytes: () => 0 }, owners: { self: null } };
  const price = (row: BrowserRow): number => billMicros(browserRowBill(rules.pricing, row, clock.now()));
  return sumReaders(
    (id) => spentBy(stored, id),
    (id) => spentByBrowsers(db, id, price),
  );
}

/**
 * Returns the spend of an API key since the beginning of the calendar month (UTC), in micro-dollars. Includes the
 * sessions and browsers that the key has created since then, without unbooked traffic.
 */
export async function spentByKey(
  { db, rules, clock }: Omit<StoredSpendDeps, 'db'> & { readonly db: Executor },
  keyId: string,
): Promise<number> {
  const nowMs = clock.now();
  const now = new Date(nowMs);
  const opened = { keyId, sinceMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) };
  const stored = { rules, clock, sandboxes: { unbookedBytes: () => 0 }, owners: { self: null } };
  const sessions = (await meteredSessionsOfKey(db, opened)).map((row) => sessionCosts(stored, row).total);
  const bills = (await browsersOfKey(db, opened)).map((row) => billMicros(browserRowBill(rules.pricing, row, nowMs)));
  return [...sessions, ...bills].reduce((sum, micros) => sum + micros, 0);
}

/** Returns the bill of a standalone browser at a time. */
export function browserRowBill(pricing: RuleBook['pricing'], row: BrowserRow, nowMs: number): BrowserBill {
  const { startedAt: startedAtMs, finishedAt: finishedAtMs, timeoutMinutes: periodMinutes } = row;
  return browserBill(pricing, { startedAtMs, finishedAtMs, periodMinutes, proxyBytes: row.proxyBytes }, nowMs);
}

/** Returns the total of a browser's bill in micro-dollars. */
export function billMicros({ browserMicros, proxyMicros }: BrowserBill): number {
  return browserMicros + proxyMicros;
}
