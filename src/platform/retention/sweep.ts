import { setImmediate } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Logger } from 'pino';
import { archiveWithin, discardBlobs } from '#accounts/workspaces/files.ts';
import { endStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { markAllUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import type { Database } from '#store/database.ts';
import { eraseOwn, type Erasure, markForPurge, markPurged, pictureKeys } from '#store/queries/erase-session.ts';
import type { Tables } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';
import { findOld, type OldQuery } from './find-old.ts';
import type { Periods, RetentionKind } from './periods.ts';

/** Removes old data in bounded batches. */
export interface Sweeper {
  /** Starts no more sweeps; resolves when the running one has ended. */
  close(): Promise<void>;
}

/** Delay in milliseconds of the first sweep, and of a sweep that continues an incomplete one. */
const soonMs = 1_000;

/** Dependencies of {@link createSweeper}. */
export interface SweeperDeps extends SweepDeps {
  /** Runs a sweep unless another process is sweeping; returns whether it ran. @defaultValue a single process */
  readonly sweepAlone?: (sweep: () => Promise<void>) => Promise<boolean>;
}

/**
 * Creates a sweeper on the service's clock. One process sweeps at a time. A failure is logged and retried with the next
 * sweep.
 */
export function createSweeper(deps: SweeperDeps, periods: Periods): Sweeper {
  const { clock, log, rules, sweepAlone = alone } = deps;
  const closing = new AbortController();
  let turn = Promise.resolve();
  let cancel = (): void => undefined;
  const arm = (ms: number): void => {
    if (closing.signal.aborted) return;
    cancel = clock.at(clock.now() + ms, () => {
      turn = takeTurn();
    });
  };
  const takeTurn = async (): Promise<void> => {
    try {
      let isDone = true;
      await sweepAlone(async () => {
        isDone = await sweepOnce(deps, periods, closing.signal);
      });
      // When another process sweeps, that process continues.
      arm(isDone ? rules.retention.sweep.everyMs : soonMs);
    } catch (error) {
      log.error({ err: error }, 'old things were not removed; the next turn tries again');
      arm(rules.retention.sweep.everyMs);
    }
  };
  if (periods.size > 0) arm(soonMs);
  return {
    async close() {
      closing.abort();
      cancel();
      await turn;
    },
  };
}

async function alone(sweep: () => Promise<void>): Promise<boolean> {
  await sweep();
  return true;
}

/** Dependencies of {@link sweepOnce}. */
export interface SweepDeps extends RemoveDeps {
  readonly clock: Clock;
  readonly rules: RuleBook;
  /** Returns a new unguessable token for a URL. */
  readonly newToken: () => string;
}

/** Sweeps all kinds once; returns whether all old data was found. */
export async function sweepOnce(deps: SweepDeps, periods: Periods, signal: AbortSignal): Promise<boolean> {
  const { clock, rules, db, log, newToken } = deps;
  const limit = rules.retention.sweep.atOnce;
  const ended = endStates(rules.lifecycle, 'session');
  let isDone = true;
  for (const [kind, period] of periods) {
    const query = { ended, before: clock.now() - period };
    const found = await findOld(kind, { ...query, db, limit, only: null });
    let removed = 0;
    for (const { id } of found) {
      if (signal.aborted) return true;
      if (await removeOld(deps, { kind, id, query, erasure: { now: clock.now(), newToken } })) removed += 1;
      // The database blocks this thread: requests run in between.
      await setImmediate();
    }
    if (removed > 0) log.info({ kind, removed }, 'old things were removed');
    if (found.length === limit) isDone = false;
  }
  return isDone;
}

/** Dependencies of a removal. */
export interface RemoveDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly log: Logger;
}

/** Data to remove, and the query that must still find it. */
export interface Removal {
  readonly kind: RetentionKind;
  readonly id: string;
  readonly query: Pick<OldQuery, 'ended' | 'before'>;
  readonly erasure: Erasure;
}

/** Removes data within a transaction, and lists its bytes as unreferenced blobs. Returns the blob keys. */
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
    await markAllUnreferenced(trx, keys, now);
    return keys;
  },
  recordings: (trx, id, erasure) => removeRow('recordings', { trx, id }, erasure),
  downloads: (trx, id, erasure) => removeRow('downloads', { trx, id }, erasure),
  workspaces: (trx, id, { now }) => archiveWithin(trx, id, now),
};

/**
 * Removes data in one transaction, unless it is no longer old or something refers to it. Its bytes are deleted
 * afterwards; failed deletions are retried at the next start. Returns whether it was removed.
 */
async function removeOld(deps: RemoveDeps, { kind, id, query, erasure }: Removal): Promise<boolean> {
  const keys = await inTransaction(
    deps.db,
    async (trx) => {
      const [still] = await findOld(kind, { ...query, db: trx, limit: 1, only: id });
      return still === undefined ? null : removers[kind](trx, id, erasure);
      // References may come from data of any kind.
    },
    { of: 'everything' },
  );
  if (keys === null) return false;
  await discardBlobs(deps, keys);
  return true;
}

/** Removes the data of a session as a purge does. Its meters stay, because bills depend on them. */
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
  await markAllUnreferenced(trx, keys, now);
  return keys;
}
