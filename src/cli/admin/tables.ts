import { createIssuedKeys, type IssuedKey } from '#accounts/api-keys.ts';
import { createProjects, type Project } from '#accounts/projects.ts';
import { liveStates } from '#contract/lifecycle.ts';
import { microsToDecimal } from '#contract/money.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { storedSpend } from '#sessions/meters.ts';
import type { Database } from '#store/database.ts';
import { countActive } from '#store/queries/counts.ts';
import { inTransaction } from '#store/transaction.ts';

/** Rows as lines of columns that are as wide as their widest text, two spaces apart; nothing stands behind the last text of a line. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_title, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Keys as a table, with what each is worth at `nowMs`. */
export function keyTable(keys: readonly IssuedKey[], nowMs: number): string {
  const titles = ['ID', 'KEY', 'STATE', 'PROJECT', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'];
  const row = (key: IssuedKey): string[] => [
    key.id,
    `${key.prefix}...`,
    stateOf(key, nowMs),
    key.projectId,
    shownTime(key.createdAtMs, ''),
    shownTime(key.lastUsedAtMs, 'never'),
    shownTime(key.expiresAtMs, 'never'),
    key.name ?? '',
  ];
  return table([titles, ...keys.map(row)]);
}

function stateOf({ revokedAtMs, expiresAtMs }: IssuedKey, nowMs: number): string {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

/** Projects as a table; `default` is what the service gives everybody. */
export function projectTable(projects: readonly Project[]): string {
  const titles = ['ID', 'CREATED', 'CREDIT', 'SESSIONS', 'RATE', 'RETENTION', 'NAME'];
  const row = (project: Project): string[] => [
    project.id,
    shownTime(project.createdAtMs, ''),
    project.creditMicros === null ? 'unlimited' : `$${microsToDecimal(project.creditMicros)}`,
    project.sessionsMax === null ? 'default' : String(project.sessionsMax),
    project.requestsPerSecond === null ? 'default' : `${project.requestsPerSecond}/s`,
    project.zeroDataRetention ? 'zero' : 'kept',
    project.name,
  ];
  return table([titles, ...projects.map(row)]);
}

/** A project with all that its operator may want to know. */
export interface DescribedProject extends Project {
  /** As far as it is booked: living browsers book their traffic with each step. */
  readonly spentMicros: number;
  /** Sandboxes that live now. */
  readonly living: number;
  readonly keys: readonly IssuedKey[];
}

/** Reads a project, its living sandboxes, its keys and what it has spent up to `nowMs`. */
export async function describeProject(db: Database, projectId: string, nowMs: number): Promise<DescribedProject> {
  const project = await createProjects(db).get(projectId);
  const states = liveStates(defaultRules.lifecycle, 'session');
  const living = await inTransaction(db, (trx) => countActive(trx, projectId, states), { of: [projectId] });
  const spentMicros = await storedSpend({ db, rules: defaultRules, clock: { now: () => nowMs } }, projectId);
  return { ...project, spentMicros, living, keys: await createIssuedKeys(db).list(projectId) };
}

/** Formats a time in UTC; `none` for null. */
export function shownTime(timeMs: number | null, none: string): string {
  return timeMs === null ? none : new Date(timeMs).toISOString();
}
