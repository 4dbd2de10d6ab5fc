import { createIssuedKeys, type IssuedKey } from '#accounts/api-keys.ts';
import { createProjects, type Project } from '#accounts/projects.ts';
import { liveStates } from '#contract/lifecycle.ts';
import { microsToDecimal } from '#contract/money.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { storedSpend } from '#sessions/project-spend.ts';
import type { Schedule } from '#sessions/schedules/schedules.ts';
import type { Database } from '#store/database.ts';
import { countActive } from '#store/queries/counts.ts';
import { inTransaction } from '#store/transaction.ts';
import { formatTable } from '../print.ts';

/** Formats keys as a table, with the state of each at `nowMs`. */
export function keyTable(keys: readonly IssuedKey[], nowMs: number): string {
  const titles = ['ID', 'KEY', 'STATE', 'PROJECT', 'CREATED', 'LAST USED', 'EXPIRES', 'SCHEDULES', 'MONTHLY', 'NAME'];
  const row = (key: IssuedKey): string[] => [
    key.id,
    `${key.prefix}...`,
    keyState(key, nowMs),
    key.projectId,
    shownTime(key.createdAtMs, ''),
    shownTime(key.lastUsedAtMs, 'never'),
    shownTime(key.expiresAtMs, 'never'),
    key.maySchedule ? 'yes' : 'no',
    shownAmount(key.monthlyMicros),
    key.name ?? '',
  ];
  return formatTable([titles, ...keys.map(row)]);
}

function keyState({ revokedAtMs, expiresAtMs }: IssuedKey, nowMs: number): string {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

/** Formats projects as a table; `default` marks limits that the service sets. */
export function projectTable(projects: readonly Project[]): string {
  const titles = ['ID', 'CREATED', 'CREDIT', 'SESSIONS', 'RATE', 'RETENTION', 'TIME ZONE', 'NAME'];
  const row = (project: Project): string[] => [
    project.id,
    shownTime(project.createdAtMs, ''),
    shownAmount(project.creditMicros),
    project.sessionsMax === null ? 'default' : String(project.sessionsMax),
    project.requestsPerSecond === null ? 'default' : `${project.requestsPerSecond}/s`,
    project.zeroDataRetention ? 'zero' : 'kept',
    project.timeZone,
    project.name,
  ];
  return formatTable([titles, ...projects.map(row)]);
}

/** Formats scheduled tasks as a table, with their next times and latest starts. */
export function scheduleTable(schedules: readonly Schedule[]): string {
  const titles = ['ID', 'STATUS', 'WHEN', 'TIME ZONE', 'NEXT', 'LATEST', 'TASK'];
  const row = (schedule: Schedule): string[] => [
    schedule.id,
    schedule.status,
    schedule.cron ?? 'once',
    schedule.timeZone,
    shownTime(schedule.nextAtMs, '-'),
    shownStart(schedule.latest),
    schedule.task.replaceAll(/\s+/g, ' ').slice(0, taskMax),
  ];
  return formatTable([titles, ...schedules.map(row)]);
}

/** Maximum number of characters of a task in a table. */
const taskMax = 60;

function shownStart(start: Schedule['latest']): string {
  if (start === null) return '-';
  return start.refusal === null ? new Date(start.startedAtMs).toISOString() : 'refused';
}

/** Formats an amount of micro-dollars; null is no limit. */
export function shownAmount(micros: number | null): string {
  return micros === null ? 'unlimited' : `$${microsToDecimal(micros)}`;
}

/** A project with its sandboxes, keys and spend. */
export interface DescribedProject extends Project {
  /** Spend in micro-dollars, as recorded in the database. The traffic of active browsers is recorded with each step. */
  readonly spentMicros: number;
  /** Number of active sandboxes. */
  readonly living: number;
  readonly keys: readonly IssuedKey[];
}

/** Reads a project with its active sandboxes, its keys and its spend up to `nowMs`. */
export async function describeProject(db: Database, projectId: string, nowMs: number): Promise<DescribedProject> {
  const project = await createProjects(db).get(projectId);
  const states = liveStates(defaultRules.lifecycle);
  const living = await inTransaction(db, (trx) => countActive(trx, projectId, states), { of: [projectId] });
  const spentMicros = await storedSpend({ db, rules: defaultRules, clock: { now: () => nowMs } })(projectId);
  return { ...project, spentMicros, living, keys: await createIssuedKeys(db).list(projectId) };
}

/** Formats a time in UTC (ISO 8601); returns the text `none` for null. */
export function shownTime(timeMs: number | null, none: string): string {
  return timeMs === null ? none : new Date(timeMs).toISOString();
}
