import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepare.ts';
import { flag } from '../tables/values.ts';
import type { ProjectTable } from '../tables/accounts.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';

/** A project with the settings that an operator can change. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /**
   * Credit in micro-dollars. Null for no limit: the balance then starts from the initial credit of
   * spec/rules/pricing.yaml.
   */
  readonly creditMicros: number | null;
  /** Maximum number of active sandboxes; null for the limit of the service. */
  readonly sessionsMax: number | null;
  /** Maximum number of requests per second; null for the rate of the service. */
  readonly requestsPerSecond: number | null;
  readonly zeroDataRetention: boolean;
  /** IANA name of the time zone of new schedules. */
  readonly timeZone: string;
  /** Time of creation in milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** Changes of a project's settings; an absent member keeps its value. */
export interface Grant {
  readonly zeroDataRetention?: boolean;
  /** New credit in micro-dollars; null for no limit. */
  readonly creditMicros?: number | null;
  /** Maximum number of active sandboxes, at least 1; null for the limit of the service. */
  readonly sessionsMax?: number | null;
  /** Maximum number of requests per second, at least 1; null for the rate of the service. */
  readonly requestsPerSecond?: number | null;
  /** IANA name of the time zone of new schedules; existing schedules keep their time zone. */
  readonly timeZone?: string;
}

/** Values of a new project. */
export interface NewProject {
  readonly id: string;
  readonly name: string;
  readonly grant: Grant;
  readonly nowMs: number;
}

/** Returns the project with the given id. Throws when it does not exist. */
export async function projectById(db: Executor, id: string): Promise<Project> {
  return toProject(await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}

/** Returns all projects, the oldest first. */
export async function listProjects(db: Executor): Promise<Project[]> {
  const rows = await db.selectFrom('projects').selectAll().orderBy('createdAt').orderBy('id').execute();
  return rows.map(toProject);
}

/** Returns the id of the oldest project. Throws when there is no project. */
export async function firstProjectId(db: Executor): Promise<string> {
  const query = db.selectFrom('projects').select('id').orderBy('createdAt').limit(1);
  return (await query.executeTakeFirstOrThrow()).id;
}

/** Inserts a project. Returns null, without a write, when another project has its name. */
export function createProject(db: Database, wanted: NewProject): Promise<Project | null> {
  return inTransaction(
    db,
    async (trx) => {
      const same = await trx.selectFrom('projects').select('id').where('name', '=', wanted.name).executeTakeFirst();
      return same === undefined ? insertProject(trx, wanted) : null;
      // The scope contains the name, so that concurrent transactions cannot both insert it.
    },
    { of: [`project named ${wanted.name}`] },
  );
}

/** Inserts a project within the transaction of the caller. */
export async function insertProject(trx: Transaction, { id, name, grant, nowMs }: NewProject): Promise<Project> {
  const row = { id, name, createdAt: nowMs, ...grantColumns(grant) };
  return toProject(await trx.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow());
}

/**
 * Changes the credit and limits of a project. Credit counts from the next model call; the request rate and zero data
 * retention count from the next request. The other values count for sessions, browsers and schedules that begin later.
 * Does nothing for an empty grant.
 */
export async function grantToProject(db: Executor, id: string, grant: Grant): Promise<void> {
  const columns = grantColumns(grant);
  if (Object.keys(columns).length > 0) await db.updateTable('projects').set(columns).where('id', '=', id).execute();
}

/**
 * Returns the credit of a project in micro-dollars; null for a project without a credit limit. Throws for an unknown
 * project.
 */
export async function projectCredit(db: Executor, id: string): Promise<number | null> {
  const query = db.selectFrom('projects').select('creditMicros').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).creditMicros;
}

/**
 * Returns the maximum number of active sandboxes of a project: its own limit, else that of the service. Throws for an
 * unknown project. Call it inside the transaction that adds a sandbox.
 */
export async function projectActiveMax(trx: Transaction, projectId: string, otherwise: number): Promise<number> {
  const [project] = (await selectSessionsMax.run(trx, { projectId })).rows;
  if (project === undefined) throw new Error(`there is no project ${projectId}`);
  return project.sessionsMax ?? otherwise;
}

const selectSessionsMax = prepared<{ readonly projectId: string }, { sessionsMax: number | null }>(
  ['projectId'],
  (db, { projectId }) => db.selectFrom('projects').select('sessionsMax').where('id', '=', projectId),
);

type GrantColumns = Pick<
  Insertable<ProjectTable>,
  'zeroDataRetention' | 'creditMicros' | 'sessionsMax' | 'requestsPerSecond' | 'timeZone'
>;

function grantColumns(grant: Grant): Partial<GrantColumns> {
  const { zeroDataRetention, creditMicros, sessionsMax, requestsPerSecond, timeZone } = grant;
  return {
    ...(zeroDataRetention === undefined ? {} : { zeroDataRetention: flag(zeroDataRetention) }),
    ...(creditMicros === undefined ? {} : { creditMicros }),
    ...(sessionsMax === undefined ? {} : { sessionsMax }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

function toProject(row: Selectable<ProjectTable>): Project {
  return {
    id: row.id,
    name: row.name,
    creditMicros: row.creditMicros,
    sessionsMax: row.sessionsMax,
    requestsPerSecond: row.requestsPerSecond,
    zeroDataRetention: row.zeroDataRetention === 1,
    timeZone: row.timeZone,
    createdAtMs: row.createdAt,
  };
}
