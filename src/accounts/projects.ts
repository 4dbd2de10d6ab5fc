import type { Selectable } from 'kysely';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import type { ProjectTable } from '#store/schema.ts';
import { type Grant, grantColumns } from './balance.ts';

/** A project with its limits, for its operator. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** Credit in micro-dollars; null for unlimited credit. */
  readonly creditMicros: number | null;
  /** Maximum of active sandboxes; null applies the default of the service. */
  readonly sessionsMax: number | null;
  /** Maximum number of requests per second; null applies the default of the service. */
  readonly requestsPerSecond: number | null;
  readonly zeroDataRetention: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** Settings of a new project. */
export interface NewProject {
  readonly id: string;
  readonly name: string;
  readonly grant: Grant;
  readonly nowMs: number;
}

/** The projects of a database, also while a service uses it. */
export interface Projects {
  /** Creates a project; null when the name is taken. */
  create(wanted: NewProject): Promise<Project | null>;
  /** Changes a project's settings for sessions and requests that begin later. */
  change(id: string, grant: Grant): Promise<Project>;
  /** Returns all projects, oldest first. */
  list(): Promise<Project[]>;
  /** Returns a project. Throws for an unknown id. */
  get(id: string): Promise<Project>;
}

/**
 * Creates access to the projects of a database. Each change is one transaction; a running service reads the new values.
 */
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
          // Transactions that use a project name are scoped by the name.
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
