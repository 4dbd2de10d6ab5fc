import type { Selectable } from 'kysely';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import type { ProjectTable } from '#store/schema.ts';
import { type Grant, grantColumns } from './balance.ts';

/** A project as its operator sees it. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** What it may spend in micro-dollars; null for no bound. */
  readonly creditMicros: number | null;
  /** Its living sandboxes; null for as many as the service gives everybody. */
  readonly sessionsMax: number | null;
  /** Requests that it may send per second; null for as many as the service lets everybody send. */
  readonly requestsPerSecond: number | null;
  readonly zeroDataRetention: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** What a new project is made of. */
export interface NewProject {
  readonly id: string;
  readonly name: string;
  readonly grant: Grant;
  readonly nowMs: number;
}

/** The projects of a database, which a service may be using. */
export interface Projects {
  /** Null when a project is called so already, and nothing was written. */
  create(wanted: NewProject): Promise<Project | null>;
  /** Gives a project that exists what is granted, for what begins from then on. */
  change(id: string, grant: Grant): Promise<Project>;
  /** All projects, the oldest first. */
  list(): Promise<Project[]>;
  /** Throws for an id of no project. */
  get(id: string): Promise<Project>;
}

/** The projects of a database. Each change is one transaction, and the service reads anew what it needs of a project. */
export function createProjects(db: Database): Projects {
  const get = async (id: string): Promise<Project> =>
    shown(await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
  return {
    create: ({ id, name, grant, nowMs }) =>
      inTransaction(
        db,
        async (trx) => {
          const called = await trx.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst();
          if (called !== undefined) return null;
          const row = { id, name, created_at: nowMs, ...grantColumns(grant) };
          return shown(await trx.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow());
          // Names are taken by transactions that name them.
        },
        { of: [`project named ${name}`] },
      ),
    async change(id, grant) {
      const columns = grantColumns(grant);
      if (Object.keys(columns).length > 0) await db.updateTable('projects').set(columns).where('id', '=', id).execute();
      return get(id);
    },
    async list() {
      return (await db.selectFrom('projects').selectAll().orderBy('created_at').orderBy('id').execute()).map(shown);
    },
    get,
  };
}

function shown(row: Selectable<ProjectTable>): Project {
  return {
    id: row.id,
    name: row.name,
    creditMicros: row.credit_micros,
    sessionsMax: row.sessions_max,
    requestsPerSecond: row.requests_per_second,
    zeroDataRetention: row.zero_data_retention === 1,
    createdAtMs: row.created_at,
  };
}
