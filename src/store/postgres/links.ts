import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { StorageDeadline } from '../storage-deadline.ts';
import { DatabaseAway, isLoss } from './database-away.ts';

/** Maximum interval at which an operation that waits for the database checks its deadline, in milliseconds. */
const lookMs = 250;

/** Pooled connections with a deadline. */
export interface Links {
  /**
   * Runs work on a pooled connection that no other work uses meanwhile. After a lost connection the work starts again
   * on another connection, so the work must leave no partial effects. Rejects with {@link DatabaseAway} at the
   * deadline.
   */
  onLink<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** Runs work like `onLink`, but returns the connection, which the caller must release. */
  keep(work: (client: PoolClient) => Promise<void>): Promise<PoolClient>;
  readonly storageDeadline: StorageDeadline;
  readonly marks: Marks;
  close(): Promise<void>;
}

/** Creates the {@link Links} of a connection pool. Their `close` closes the pool. */
export function createLinks(pool: Pool, storageDeadline: StorageDeadline): Links {
  const probe = createProbe(pool);
  const keep: Links['keep'] = async (work) => {
    for (;;) {
      try {
        return await begun(pool, work);
      } catch (error) {
        if (!isLoss(error)) throw error;
        if (storageDeadline.leftMs() === 0) throw new DatabaseAway(error);
        await Promise.race([probe.back(), setTimeout(Math.min(lookMs, storageDeadline.leftMs()))]);
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
    storageDeadline,
    marks: createMarks(),
    async close() {
      probe.close();
      await pool.end();
    },
  };
}

/**
 * Runs work on a connection of the pool and returns the connection. If the work fails, releases the connection to the
 * pool, or discards a lost connection.
 */
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

/** Check, shared by all waiting operations, whether an unavailable database can be reached again. */
interface Probe {
  /**
   * Tries to connect until an attempt succeeds or the probe is closed, and then resolves. Concurrent calls share the
   * attempts. Never rejects.
   */
  back(): Promise<void>;
  close(): void;
}

/** Interval between connection attempts to an unavailable database, in milliseconds. */
const askAgainMs = 100;

/** Creates a probe for the database of a pool. */
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

/**
 * Tries to connect. Returns false if the connection is lost or refused. After any other error the database counts as
 * reached, because the operation that needs the connection will report this error.
 */
async function answers(pool: Pool): Promise<boolean> {
  try {
    (await pool.connect()).release();
    return true;
  } catch (error) {
    return error instanceof Error && !isLoss(error);
  }
}

/**
 * Commit mark of a transaction: its connection, and a number that the transaction writes to the row of this connection.
 * If the response to the commit is lost, the row shows whether the commit succeeded. Transaction ids of PostgreSQL
 * cannot be used for this, because they are assigned again after a crash.
 */
export interface Mark {
  readonly connection: string;
  readonly number: number;
}

/**
 * Creates the table of commit marks, and deletes marks that were last written more than 30 days ago. Only one process
 * may run this function at a time.
 */
export async function prepareMarks(client: PoolClient): Promise<void> {
  await client.query(
    'create table if not exists svc_commit_marks (connection text primary key, number bigint not null, made_at timestamptz not null)',
  );
  await client.query(`delete from svc_commit_marks where made_at < now() - interval '30 days'`);
}

/** Source of the commit marks of transactions. */
export interface Marks {
  /**
   * Returns the commit mark for the next transaction on a connection. Before the first mark, inserts the row of this
   * connection into the table of commit marks.
   */
  next(client: PoolClient): Promise<Mark>;
}

/** Creates the source of commit marks for the connections of one pool. */
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

/** Returns the SQL statement with which a transaction writes its commit mark. */
export function leave({ connection, number }: Mark): string {
  return `update svc_commit_marks set number = ${number}, made_at = now() where connection = '${connection}'`;
}

/** The function `onLink` of {@link Links}. */
interface OnLink {
  onLink<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/**
 * Returns whether the transaction with a commit mark was committed. Waits for the database, and for the transaction if
 * it is still running.
 */
export function wasCommitted(links: OnLink, mark: Mark): Promise<boolean> {
  return links.onLink(async (client) => {
    const { rows } = await client.query<{ number: number }>(
      'select number from svc_commit_marks where connection = $1 for update',
      [mark.connection],
    );
    return rows[0]?.number === mark.number;
  });
}
