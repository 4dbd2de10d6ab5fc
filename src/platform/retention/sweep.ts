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

/** Removes what is old, a bounded part at each turn. */
export interface Sweeper {
  /** Takes no more turns; settles when none is under way. */
  close(): Promise<void>;
}

/** How long the first turn waits for a service that starts, and a turn for the one before that left something. */
const soonMs = 1_000;

/** Everything that a sweeper works with. */
export interface SweeperDeps extends SweepDeps {
  /** Lets a turn be taken unless another process of the service is at one; answers whether it was. @defaultValue there is no other */
  readonly sweepAlone?: (sweep: () => Promise<void>) => Promise<boolean>;
}

/** A sweeper on the service's clock; of several processes one sweeps at a time. What fails is logged and tried again at the next turn. */
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
      // What another process is at is done by it.
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

/** Everything that sweeping works with. */
export interface SweepDeps extends RemoveDeps {
  readonly clock: Clock;
  readonly rules: RuleBook;
  /** Makes an unguessable token for an address. */
  readonly newToken: () => string;
}

/** One turn over all kinds; answers whether nothing old can be left. */
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
      // The database works on this thread: requests come in between.
      await setImmediate();
    }
    if (removed > 0) log.info({ kind, removed }, 'old things were removed');
    if (found.length === limit) isDone = false;
  }
  return isDone;
}

/** What removing needs. */
export interface RemoveDeps {
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
    await markAllUnreferenced(trx, keys, now);
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
async function removeOld(deps: RemoveDeps, { kind, id, query, erasure }: Removal): Promise<boolean> {
  const keys = await inTransaction(
    deps.db,
    async (trx) => {
      const [still] = await findOld(kind, { ...query, db: trx, limit: 1, only: id });
      return still === undefined ? null : removers[kind](trx, id, erasure);
      // What may refer to it is of any kind.
    },
    { of: 'everything' },
  );
  if (keys === null) return false;
  await discardBlobs(deps, keys);
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
  await markAllUnreferenced(trx, keys, now);
  return keys;
}
