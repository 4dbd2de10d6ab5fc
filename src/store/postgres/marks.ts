import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';

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
export function createMarks(): Marks {
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
