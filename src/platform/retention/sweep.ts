import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { archiveWithin, discardBlobs } from '#accounts/workspaces/files.ts';
import { endStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { Erasure } from '#store/queries/erase-session.ts';
import {
  deleteEvents,
  deleteOldRow,
  deletePictures,
  eraseOldSession,
  findOld,
  type OldQuery,
  type RetentionKind,
} from '#store/queries/retention.ts';
import { inTransaction, type Transaction } from '#store/transaction.ts';
import type { Periods } from './periods.ts';
import type { Database } from '#store/database.ts';

/** A background job that removes old data in bounded batches. */
export interface Sweeper {
  /** Starts no more sweeps; resolves when a running sweep has ended. */
  close(): Promise<void>;
}

/** Delay in milliseconds of the first sweep, and of a sweep that continues an incomplete sweep. */
const soonMs = 1_000;

/** Dependencies of {@link createSweeper}. */
export interface SweeperDeps extends SweepDeps {
  /** Runs a sweep unless another process is sweeping; returns whether it ran. @defaultValue runs every sweep */
  readonly sweepAlone?: (sweep: () => Promise<void>) => Promise<boolean>;
}

/**
 * Creates a sweeper on the service's clock. One process sweeps at a time. A failure is logged and retried with the next
 * sweep. Without periods, the sweeper never sweeps.
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
      log.error({ err: error }, 'expired records were not removed; the next sweep tries again');
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

/**
 * Removes at most one batch of old data of each kind. Returns false when a batch was full, because old data may remain
 * then. Ends early, with true, when the signal aborts.
 */
export async function sweepOnce(deps: SweepDeps, periods: Periods, signal: AbortSignal): Promise<boolean> {
  const { clock, rules, db, log, newToken } = deps;
  const limit = rules.retention.sweep.atOnce;
  const ended = endStates(rules.lifecycle);
  let isDone = true;
  for (const [kind, period] of periods) {
    const query = { ended, before: clock.now() - period };
    const found = await findOld(db, kind, { ...query, limit, only: null });
    let removed = 0;
    for (const { id } of found) {
      if (signal.aborted) return true;
      if (await removeOld(deps, { kind, id, query, erasure: { now: clock.now(), newToken } })) removed += 1;
      // A query may block this thread, so pending requests run between two removals.
      await setImmediate();
    }
    if (removed > 0) log.info({ kind, removed }, 'expired records were removed');
    if (found.length === limit) isDone = false;
  }
  return isDone;
}

/** Dependencies of removing old data. */
export interface RemoveDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly log: Logger;
}

/** Data to remove, and the query that must still find this data at the time of its removal. */
export interface Removal {
  readonly kind: RetentionKind;
  readonly id: string;
  readonly query: Pick<OldQuery, 'ended' | 'before'>;
  readonly erasure: Erasure;
}

/**
 * A function that removes data within a transaction. It returns the keys of the blobs of this data, which are then
 * unreferenced.
 */
type Remover = (trx: Transaction, id: string, erasure: Erasure) => Promise<readonly string[]>;

const removers: Readonly<Record<RetentionKind, Remover>> = {
  sessions: eraseOldSession,
  deletedSessions: eraseOldSession,
  async events(trx, id) {
    await deleteEvents(trx, id);
    return [];
  },
  screenshots: (trx, id, { now }) => deletePictures(trx, id, now),
  recordings: (trx, id, { now }) => deleteOldRow(trx, { table: 'recordings', id }, now),
  downloads: (trx, id, { now }) => deleteOldRow(trx, { table: 'downloads', id }, now),
  workspaces: (trx, id, { now }) => archiveWithin(trx, id, now),
};

/**
 * Removes data in one transaction, unless the data is no longer old or something refers to it. The bytes of the data
 * are deleted afterwards; a failed deletion is retried at the next start of the service. Returns whether the data was
 * removed.
 */
async function removeOld(deps: RemoveDeps, { kind, id, query, erasure }: Removal): Promise<boolean> {
  const keys = await inTransaction(
    deps.db,
    async (trx) => {
      const [still] = await findOld(trx, kind, { ...query, limit: 1, only: id });
      return still === undefined ? null : removers[kind](trx, id, erasure);
      // References may come from data of any kind.
    },
    { of: 'everything' },
  );
  if (keys === null) return false;
  await discardBlobs(deps, keys);
  return true;
}
