import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Patience } from '../storage-deadline.ts';
import { DatabaseAway, isLoss } from './database-away.ts';

/** How often whoever waits looks whether it still can, in milliseconds. */
const lookMs = 250;

/** Connections of a pool, and how long to wait for one. */
export interface Links {
  /**
   * Does a piece of work on a connection of its own. When the connection is lost meanwhile the work is begun anew on another: it must
   * have left nothing behind. Rejects with {@link DatabaseAway} when nobody can wait any longer.
   */
  onLink<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** A connection to keep and give back, on which that work has been done; the rest is as in `onLink`. */
  keep(work: (client: PoolClient) => Promise<void>): Promise<PoolClient>;
  readonly patience: Patience;
  readonly marks: Marks;
  close(): Promise<void>;
}

/** The connections of a pool, which goes with them. */
export function createLinks(pool: Pool, patience: Patience): Links {
  const probe = createProbe(pool);
  const keep: Links['keep'] = async (work) => {
    for (;;) {
      try {
        return await begun(pool, work);
      } catch (error) {
        if (!isLoss(error)) throw error;
        if (patience.leftMs() === 0) throw new DatabaseAway(error);
        await Promise.race([probe.back(), setTimeout(Math.min(lookMs, patience.leftMs()))]);
      }
    }
  };
  return {
    keep,
    async onLink(work) {
      let result: { readonly value: Awaited<ReturnType<typeof work>> } | undefined;
      const client = await keep(async (link) => {
        result = { value: await work(link) };
      });
      client.release();
      if (result === undefined) throw new Error('a connection was kept before its work was done');
      return result.value;
    },
    patience,
    marks: createMarks(),
    async close() {
      probe.close();
      await pool.end();
    },
  };
}

/** A connection that fails is not used again. */
async function begun(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<PoolClient> {
  const client = await pool.connect();
  try {
    await work(client);
    return client;
  } catch (error) {
    client.release(isLoss(error));
    throw error;
  }
}

/** Asks a database that is away whether it is back, once for all who wait for it. */
interface Probe {
  /** Settles when a connection can be made again, or the probe is closed; asks only while somebody waits. Never rejects. */
  back(): Promise<void>;
  close(): void;
}

/** How long a database that is away is left alone before it is asked again, in milliseconds. */
const askAgainMs = 100;

/** A probe of the database of a pool. */
function createProbe(pool: Pool): Probe {
  let asking: Promise<void> | null = null;
  const closing = new AbortController();
  const ask = async (): Promise<void> => {
    while (!closing.signal.aborted && !(await answers(pool))) await setTimeout(askAgainMs);
  };
  return {
    back() {
      asking ??= ask().finally(() => (asking = null));
      return asking;
    },
    close: () => closing.abort(),
  };
}

/** What is no loss is for whoever needs the connection to be told. */
async function answers(pool: Pool): Promise<boolean> {
  try {
    (await pool.connect()).release();
    return true;
  } catch (error) {
    return error instanceof Error && !isLoss(error);
  }
}

/**
 * What a transaction leaves behind to be known by when the answer to its commit is lost: a number in the row of its connection. The number
 * that PostgreSQL itself gives a transaction would not do: one that a crash has taken back is given again.
 */
export interface Mark {
  readonly connection: string;
  readonly number: number;
}

/** Makes the table of marks, and forgets those of connections that have long ended. To be done by one process at a time. */
export async function prepareMarks(client: PoolClient): Promise<void> {
  await client.query(
    'create table if not exists svc_commit_marks (connection text primary key, number bigint not null, made_at timestamptz not null)',
  );
  await client.query(`delete from svc_commit_marks where made_at < now() - interval '30 days'`);
}

/** Gives each transaction of a connection its mark. */
export interface Marks {
  /** The next mark of a connection, which has a row from then on. */
  next(client: PoolClient): Promise<Mark>;
}

/** The marks of the connections of one pool. */
function createMarks(): Marks {
  const latest = new WeakMap<PoolClient, Mark>();
  return {
    async next(client) {
      const before = latest.get(client) ?? { connection: await newRow(client), number: 0 };
      const mark = { ...before, number: before.number + 1 };
      latest.set(client, mark);
      return mark;
    },
  };
}

async function newRow(client: PoolClient): Promise<string> {
  const connection = randomUUID();
  await client.query('insert into svc_commit_marks (connection, number, made_at) values ($1, 0, now())', [connection]);
  return connection;
}

/** The statement that leaves a mark. */
export function leave({ connection, number }: Mark): string {
  return `update svc_commit_marks set number = ${number}, made_at = now() where connection = '${connection}'`;
}

/** Does a piece of work on a connection, on another one when that is lost. */
interface OnLink {
  onLink<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/** Whether a transaction that left a mark was committed; waits for the database, and for the transaction should it still end. */
export function wasCommitted(links: OnLink, mark: Mark): Promise<boolean> {
  return links.onLink(async (client) => {
    const { rows } = await client.query<{ number: number }>(
      'select number from svc_commit_marks where connection = $1 for update',
      [mark.connection],
    );
    return rows[0]?.number === mark.number;
  });
}
