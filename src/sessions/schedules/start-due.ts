import { isOutOfCredit } from '#accounts/balance.ts';
import { getLimit } from '#contract/rule-book.ts';
import {
  claimStart,
  dueSchedules,
  recordRefusal,
  type ScheduleClaim,
  type ScheduleRow,
} from '#store/queries/schedules.ts';
import { findProfile } from '#store/queries/profiles.ts';
import { isLiving } from '#store/queries/files.ts';
import { type Created, createClaimedSession } from '../create-session.ts';
import type { EngineState } from '../engine-deps.ts';
import { spentBy } from '../meters.ts';
import { getNextTime } from './schedule-times.ts';
import { type ScheduledSession, scheduledSession } from './schedules.ts';

/** Number of due schedules that a sweep reads at once. */
const readAtOnce = 20;
/** Maximum number of sessions that a sweep starts; the next sweep starts the others. */
const startedMax = 20;

/**
 * Starts the tasks whose time has come. One transaction claims a due time and creates its session, so only one process
 * starts the task for this time. Several missed times of a schedule cause a single start. A start that finds no free
 * slot of its project, or its profile in use, waits for the next sweep; the sweep continues with the other schedules.
 */
export async function startDueSchedules(engine: EngineState): Promise<void> {
  const fullProjects = new Set<string>();
  let started = 0;
  for await (const schedule of readDue(engine)) {
    if (engine.closing.aborted || engine.tasks.isFinishing || started >= startedMax) return;
    if (fullProjects.has(schedule.projectId)) continue;
    const created = await tryStart(engine, schedule);
    if (created !== null && 'session' in created) started += 1;
    if (created !== null && 'tooMany' in created) fullProjects.add(schedule.projectId);
  }
}

/** Reads all schedules that are due now, page by page, the earliest first. */
async function* readDue({ db, clock }: EngineState): AsyncGenerator<ScheduleRow> {
  const nowMs = clock.now();
  let page: ScheduleRow[] = [];
  do {
    page = await dueSchedules(db, { nowMs, after: page.at(-1) ?? null, limit: readAtOnce });
    yield* page;
  } while (page.length === readAtOnce);
}

/** Starts a schedule. Logs an error and then returns null, like {@link start} without a session. */
async function tryStart(engine: EngineState, schedule: ScheduleRow): Promise<Created | null> {
  try {
    return await start(engine, schedule);
  } catch (error) {
    // A schedule that cannot be started must not delay the others.
    const fault = { schedule: schedule.id, err: error };
    engine.log.error(fault, 'a scheduled task could not be started; the next sweep tries again');
    return null;
  }
}

/** Creates the session of a due start. Returns null when the start was refused, or claimed by another process. */
async function start(engine: EngineState, schedule: ScheduleRow): Promise<Created | null> {
  const session = scheduledSession(schedule);
  const refusal = await findRefusal(engine, schedule, session);
  if (refusal !== null) {
    await recordRefusal(engine.db, createClaim(engine, schedule, { refusal }));
    engine.log.warn({ schedule: schedule.id, refusal }, 'a scheduled task was refused');
    return null;
  }
  const scope = { projectId: schedule.projectId, generation: 'v3' } as const;
  return createClaimedSession(engine, scope, {
    wanted: newSession(schedule.task, session),
    claim: {
      of: schedule.id,
      take: (trx, sessionId) => claimStart(trx, createClaim(engine, schedule, { sessionId })),
    },
  });
}

function createClaim(engine: EngineState, schedule: ScheduleRow, outcome: ScheduleClaim['outcome']): ScheduleClaim {
  const nowMs = engine.clock.now();
  const { cron, timeZone } = schedule;
  return {
    schedule,
    nowMs,
    nextAtMs: cron === null ? null : getNextTime({ cron, timeZone }, nowMs),
    outcome,
    keptFromMs: nowMs - getLimit(engine.rules, 'scheduleStartsKept'),
  };
}

/**
 * Returns why the due start of a schedule is refused: its profile or workspace was deleted, or the project has spent
 * its credit. Returns null if none of these holds.
 */
async function findRefusal(
  engine: EngineState,
  { projectId }: ScheduleRow,
  { profileId, workspaceId }: ScheduledSession,
): Promise<string | null> {
  const { db, spentElsewhere } = engine;
  if (profileId !== null && (await findProfile(db, { projectId, id: profileId })) === null)
    return 'The profile of the task was deleted: schedule it again with another one.';
  if (workspaceId !== null && !(await isLiving(db, workspaceId)))
    return 'The workspace of the task was deleted: schedule it again with another one.';
  const total = async (id: string): Promise<number> => (await spentBy(engine, id)) + (await spentElsewhere(id));
  return (await isOutOfCredit({ db, spend: { total } }, projectId)) ? 'The project has spent its credit.' : null;
}

function newSession(task: string, session: ScheduledSession): Parameters<typeof createClaimedSession>[2]['wanted'] {
  return {
    ...session,
    task,
    modelParams: null,
    keepAlive: false,
    enableRecording: false,
    inbox: true,
    screen: null,
    startUrl: null,
    persistMemory: true,
    resumable: false,
  };
}
