import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { defaultProxyCountry } from '#contract/screen.ts';
import type { JsonObject } from '#lib/json.ts';
import { projectById } from '#store/queries/projects.ts';
import {
  changeSchedule,
  insertSchedule,
  latestStarts,
  listSchedules,
  type ScheduleRow,
  type ScheduleStartRow,
} from '#store/queries/schedules.ts';
import type { ScheduleStatus } from '#store/tables/accounts.ts';
import { getNextTime, readTiming, type Timing } from './schedule-times.ts';
import type { Database } from '#store/database.ts';

/** Settings of the V3 sessions that a schedule starts; all are validated. */
export interface ScheduledSession {
  readonly model: string;
  readonly thinkingLevel: string | null;
  readonly useOwnKey: boolean;
  readonly codeMode: boolean;
  readonly outputSchema: JsonObject | null;
  readonly profileId: string | null;
  readonly workspaceId: string | null;
  readonly proxyCountryCode: string | null;
  /** Cost limit of each session in micro-dollars, or null. */
  readonly maxCostMicros: number | null;
}

/** Default settings of the sessions that a schedule starts; a model must be given. */
export const defaultScheduledSession: Omit<ScheduledSession, 'model'> = {
  thinkingLevel: null,
  useOwnKey: false,
  codeMode: false,
  outputSchema: null,
  profileId: null,
  workspaceId: null,
  proxyCountryCode: defaultProxyCountry,
  maxCostMicros: null,
};

/** A new schedule. */
export interface NewSchedule {
  readonly projectId: string;
  readonly task: string;
  readonly timing: Timing;
  readonly session: ScheduledSession;
  /** Session whose agent proposes the schedule; null for a schedule that is active at once. */
  readonly proposedBy: string | null;
}

/** A schedule with its latest start; times are milliseconds since the epoch. */
export interface Schedule {
  readonly id: string;
  readonly projectId: string;
  readonly status: ScheduleStatus;
  readonly task: string;
  /** Five fields of cron; null for a single time. */
  readonly cron: string | null;
  readonly timeZone: string;
  /** Time of the next start; null once the schedule has ended. */
  readonly nextAtMs: number | null;
  readonly model: string;
  /** Id of the session whose agent proposed the schedule, or null. */
  readonly proposedBy: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  /** Latest start; null before the first start. Either its session or the reason of a refusal is present. */
  readonly latest: {
    readonly dueAtMs: number;
    readonly startedAtMs: number;
    readonly sessionId: string | null;
    readonly refusal: string | null;
  } | null;
}

/** Reason why a schedule was not created: an invalid timing, described in words, or a reached limit. */
export type NotScheduled = { readonly fault: string } | { readonly limit: number };

/** Operations on the scheduled tasks of a database, which a service may use at the same time. */
export interface Schedules {
  create(wanted: NewSchedule): Promise<Schedule | NotScheduled>;
  /**
   * Activates a proposal and returns it; a single time that has passed meanwhile runs at once. Returns an active or
   * ended schedule unchanged, and null for an unknown schedule.
   */
  confirm(projectId: string, id: string): Promise<Schedule | null>;
  /** Ends a schedule or refuses a proposal. Tasks that the schedule started continue. Null for an unknown schedule. */
  end(projectId: string, id: string): Promise<Schedule | null>;
  /** Returns at most 500 schedules of a project: ended schedules last, and in each group the newest first. */
  list(projectId: string): Promise<Schedule[]>;
}

/** Dependencies of the schedules. */
export interface SchedulesDeps {
  readonly db: Database;
  readonly rules: RuleBook;
  readonly newId: () => string;
  readonly now: () => number;
}

const listedMax = 500;

/** Creates access to the scheduled tasks of a database, which a service may use at the same time. */
export function createSchedules({ db, rules, newId, now }: SchedulesDeps): Schedules {
  const bounds = {
    ofProject: getLimit(rules, 'schedulesPerProject'),
    ofSession: getLimit(rules, 'scheduleProposals'),
  };
  const shown = async (rows: readonly ScheduleRow[]): Promise<Schedule[]> => {
    const starts = await latestStarts(
      db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => toSchedule(row, starts.get(row.id)));
  };
  const shownOne = async (row: ScheduleRow | null): Promise<Schedule | null> =>
    row === null ? null : ((await shown([row]))[0] ?? null);
  return {
    async create({ projectId, task, timing, session, proposedBy }) {
      const nowMs = now();
      const { timeZone } = await projectById(db, projectId);
      const times = readTiming(timing, { timeZone, nowMs });
      if ('fault' in times) return times;
      const row: ScheduleRow = {
        id: newId(),
        projectId,
        status: proposedBy === null ? 'active' : 'proposed',
        task,
        cron: times.cron,
        timeZone,
        nextAt: times.nextAtMs,
        settings: JSON.stringify(session),
        proposedBy,
        createdAt: nowMs,
        endedAt: null,
      };
      const limit = await insertSchedule(db, row, bounds);
      return limit === null ? toSchedule(row, undefined) : { limit };
    },
    confirm: async (projectId, id) =>
      shownOne(
        await changeSchedule(db, {
          projectId,
          id,
          from: ['proposed'],
          set: ({ cron, timeZone, nextAt }) => ({
            status: 'active',
            // Times of a proposal do not count as missed.
            nextAt: cron === null ? nextAt : getNextTime({ cron, timeZone }, now()),
          }),
        }),
      ),
    end: async (projectId, id) =>
      shownOne(
        await changeSchedule(db, {
          projectId,
          id,
          from: ['proposed', 'active'],
          set: () => ({ status: 'ended', nextAt: null, endedAt: now() }),
        }),
      ),
    list: async (projectId) => shown(await listSchedules(db, projectId, listedMax)),
  };
}

/** Parses the settings of the sessions of a schedule. */
export function scheduledSession({ settings }: Pick<ScheduleRow, 'settings'>): ScheduledSession {
  // The stored text was serialised from a value of this type.
  const value: ScheduledSession = JSON.parse(settings);
  return value;
}

function toSchedule(row: ScheduleRow, start: ScheduleStartRow | undefined): Schedule {
  return {
    id: row.id,
    projectId: row.projectId,
    status: row.status,
    task: row.task,
    cron: row.cron,
    timeZone: row.timeZone,
    nextAtMs: row.nextAt,
    model: scheduledSession(row).model,
    proposedBy: row.proposedBy,
    createdAtMs: row.createdAt,
    endedAtMs: row.endedAt,
    latest:
      start === undefined
        ? null
        : {
            dueAtMs: start.dueAt,
            startedAtMs: start.startedAt,
            sessionId: start.sessionId,
            refusal: start.refusal,
          },
  };
}
