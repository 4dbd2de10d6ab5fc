import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { defaultRules } from '#contract/rule-book.ts';
import { createSchedules, defaultScheduledSession, type Schedules } from '#sessions/schedules/schedules.ts';
import { openDatabase } from '#store/open-database.ts';
import { firstProjectId } from '#store/queries/projects.ts';
import { type Draw, createDraw } from '../draw.ts';
import { startOneProcessFleet } from '../kills/one-process-fleet.ts';
import { type TableReader, sqliteReader } from '../kills/table-reader.ts';
import { currentCommit } from '../../tools/measure/evidence.ts';
import { mkdirSync, writeFileSync } from 'node:fs';

/**
 * Kills a service while schedules are due and writes docs/evidence/schedules.md. Returns false when a fault was found.
 */
export async function proveSchedules({ kills, seed }: { kills: number; seed: number }): Promise<boolean> {
  const command = `npm run long -- schedules --kills ${kills} --seed ${seed}`;
  console.log(command);
  const commit = currentCommit();
  const begun = performance.now();
  const result = await runSchedules({ kills, seed, progress: console.log });
  const seconds = Math.round((performance.now() - begun) / 1000);
  const day = new Date().toISOString().slice(0, 10);
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/schedules.md', schedulesPage(result, { command, commit, day, seconds }));
  for (const fault of result.faults) console.log(`  ${fault}`);
  return result.faults.length === 0;
}

interface Run {
  readonly command: string;
  readonly commit: string;
  readonly day: string;
  readonly seconds: number;
}

function schedulesPage(result: ScheduleKillsResult, { command, commit, day, seconds }: Run): string {
  const { kills, singles, repeated, starts, late, faults } = result;
  return `${[
    '# Scheduled tasks under kills',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `${kills} times \`kill -9\` of the service at a random moment while scheduled tasks were due; ${faults.length} faults in ${seconds} s.`,
    `The service accepted ${singles} schedules with a single time, each due within 9 s, and ${repeated} schedules that repeat every minute. It recorded ${starts} starts; ${late} of them began more than 6 s after their time, because no process ran.`,
    'A fault is: a single time without exactly one start; a repeated start that was not due at the first full minute after the previous start; a start without exactly one session and one run; a run without a start; a session that has not ended; a refused start; stored amounts that contradict each other, or a run that began or completed twice; a process, folder or bytes that remain.',
    ...(faults.length === 0 ? [] : [faults.map((fault) => `- ${fault}`).join('\n')]),
  ].join('\n\n')}\n`;
}

/** Options of the proof. */
interface ScheduleKills {
  readonly kills: number;
  /** Equal seeds yield equal schedules and kills; their timing depends on the machine. */
  readonly seed: number;
  /** Called after each kill. @defaultValue not called */
  readonly progress?: (line: string) => void;
}

/** Result of killing a service while schedules are due. */
export interface ScheduleKillsResult {
  readonly kills: number;
  /** Number of acknowledged schedules with a single time. */
  readonly singles: number;
  /** Number of schedules that run every minute. */
  readonly repeated: number;
  /** Number of starts of schedules that the service has recorded. */
  readonly starts: number;
  /** Number of starts that began more than 6 s after their schedule was due. */
  readonly late: number;
  readonly faults: readonly string[];
}

/** Number of schedules with a single time that are created before each kill. */
const singlesPerKill = 5;
/**
 * A schedule with a single time is due at most this number of milliseconds plus 1 s after its creation. Some of these
 * times are due only after the kill and the restart.
 */
const dueWithinMs = 8_000;
/**
 * Maximum delays in ms between recovery and the next kill. Most processes are killed before their first sweep, some
 * after it.
 */
const [shortMs, longMs] = [1_500, 8_000];
const longShare = 0.25;
const cronCount = 3;
/** Deadline in ms for all sessions, far above their duration on a loaded machine. */
const endMs = 180_000;
const lookMs = 250;
/**
 * A start that begins more than this number of ms after its due time is late. The service looks for due times every
 * five seconds.
 */
const lateMs = 6_000;

/** Kills a service while schedules are due, and counts the started sessions. Removes the service afterwards. */
export async function runSchedules({ kills, seed, progress }: ScheduleKills): Promise<ScheduleKillsResult> {
  const draw = createDraw(seed);
  const fleet = await startOneProcessFleet({ hosts: 'simulated', database: null });
  const db = await openDatabase(join(fleet.dataFolder, 'svc.sqlite'));
  const read = sqliteReader(fleet.dataFolder);
  try {
    const schedules = createSchedules({ db, rules: defaultRules, newId: randomUUID, now: Date.now });
    const place: Place = { schedules, projectId: await firstProjectId(db), draw };
    const repeated: string[] = [];
    for (let count = 0; count < cronCount; count += 1) repeated.push(await schedule(place, `Say cron ${count}`, null));
    const singles: string[] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      for (let count = 0; count < singlesPerKill; count += 1)
        singles.push(await schedule(place, `Say ${singles.length}`, draw.between(1, dueWithinMs)));
      await setTimeout(draw.random() * (draw.chance(longShare) ? longMs : shortMs));
      const [victim] = await fleet.victims();
      if (victim !== undefined) await fleet.kill(victim);
      await fleet.restore();
      progress?.(`${kill} of ${kills}: ${singles.length} single times`);
    }
    await waitForEnd(read, singles.length);
    for (const id of repeated) await schedules.end(place.projectId, id);
    await waitForEnd(read, singles.length);
    const starts = await readStarts(read);
    const books = await fleet.books();
    const faults = [...findFaults({ singles, repeated, starts }), ...books.faults, ...(await fleet.stop())];
    const late = starts.filter(({ dueAt, startedAt }) => startedAt - dueAt > lateMs).length;
    return { kills, singles: singles.length, repeated: repeated.length, starts: starts.length, late, faults };
  } finally {
    await db.destroy();
    await fleet.stop();
    fleet.remove();
  }
}

interface Place {
  readonly schedules: Schedules;
  readonly projectId: string;
  readonly draw: Draw;
}

/**
 * Stores a schedule and returns its id. The task runs every minute if `inMs` is null, else once, `inMs` + 1 s from now.
 * Rejects if the schedule is refused.
 */
async function schedule({ schedules, projectId }: Place, task: string, inMs: number | null): Promise<string> {
  const made = await schedules.create({
    projectId,
    task,
    timing: inMs === null ? { cron: '* * * * *' } : { at: new Date(Date.now() + inMs + 1_000).toISOString() },
    session: { ...defaultScheduledSession, model: defaultRules.models.v3.default.model },
    proposedBy: null,
  });
  if (!('id' in made)) throw new Error(`found ${JSON.stringify(made)}, expected a schedule`);
  return made.id;
}

/**
 * Waits until every schedule with a single time has started and every session has ended, for 3 minutes at most. Does
 * not reject after that; `findFaults` reports what is missing.
 */
async function waitForEnd(read: TableReader, singles: number): Promise<void> {
  const until = performance.now() + endMs;
  const isOver = async (): Promise<boolean> => {
    const [open] = await read(
      `select (select count(*) from schedules where cron is null and status = 'ended') as ended,
        (select count(*) from sessions where status in ('created', 'idle', 'running')) as living`,
    );
    return open?.['ended'] === singles && open['living'] === 0;
  };
  while (performance.now() < until && !(await isOver())) await setTimeout(lookMs);
}

/** Reads every recorded start with its session, and with the numbers of runs of the scheduled task. */
async function readStarts(read: TableReader): Promise<StartedTime[]> {
  const rows = await read(
    `select t.schedule_id as id, t.due_at as due, t.started_at as started, t.session_id as session, t.refusal as refusal,
      s.status as status,
      (select count(*) from runs r join schedules d on d.task = r.task where r.session_id = s.id and d.id = t.schedule_id) as runs,
      (select count(*) from runs r join schedules d on d.task = r.task where d.id = t.schedule_id) as all_runs
    from schedule_starts t left join sessions s on s.id = t.session_id order by t.schedule_id, t.due_at`,
  );
  return rows.map((row) => ({
    scheduleId: String(row['id']),
    dueAt: Number(row['due']),
    startedAt: Number(row['started']),
    sessionId: textOrNull(row['session']),
    refusal: textOrNull(row['refusal']),
    status: textOrNull(row['status']),
    runs: Number(row['runs']),
    runsOfSchedule: Number(row['all_runs']),
  }));
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A recorded start time of a schedule, with its session. */
export interface StartedTime {
  readonly scheduleId: string;
  /** Time at which the schedule was due, in milliseconds since the epoch. */
  readonly dueAt: number;
  readonly startedAt: number;
  readonly sessionId: string | null;
  readonly refusal: string | null;
  /** Status of the started session; null without a session. */
  readonly status: string | null;
  /** Number of runs of the scheduled task in this session. */
  readonly runs: number;
  /** Number of runs of the scheduled task in all sessions. */
  readonly runsOfSchedule: number;
}

/** Acknowledged schedules, and the starts that the service recorded. */
interface Observed {
  /** Ids of schedules with a single time. */
  readonly singles: readonly string[];
  /** Ids of schedules that run every minute. */
  readonly repeated: readonly string[];
  /** Every recorded start of a schedule, ordered by schedule and time. */
  readonly starts: readonly StartedTime[];
}

const minuteMs = 60_000;
const ended: ReadonlySet<string | null> = new Set(['stopped', 'error', 'timed_out']);

/**
 * Returns a sentence for each lost, repeated or refused start, for each session that has not ended, and for each wrong
 * number of runs.
 */
export function findFaults({ singles, repeated, starts }: Observed): string[] {
  const of = (id: string): StartedTime[] => starts.filter(({ scheduleId }) => scheduleId === id);
  return [
    ...starts.flatMap(findStartFaults),
    ...singles.flatMap((id) =>
      of(id).length === 1 ? [] : [`schedule ${id} started ${of(id).length} times, not once`],
    ),
    ...repeated.flatMap((id) => findLostMinutes(id, of(id))),
    ...[...repeated, ...singles].flatMap((id) => {
      const runs = of(id)[0]?.runsOfSchedule ?? 0;
      return runs === of(id).length ? [] : [`schedule ${id} has ${of(id).length} starts and ${runs} runs`];
    }),
  ];
}

function findStartFaults({ scheduleId, sessionId, refusal, status, runs }: StartedTime): string[] {
  if (sessionId === null) return [`schedule ${scheduleId} was refused: ${refusal}`];
  return [
    ...(runs === 1 ? [] : [`session ${sessionId} of schedule ${scheduleId} has ${runs} runs`]),
    ...(ended.has(status) ? [] : [`session ${sessionId} of schedule ${scheduleId} has not ended: ${status}`]),
  ];
}

/**
 * Returns a fault for each start that was not due at the first full minute after the previous start began. `starts` are
 * ordered by time.
 */
function findLostMinutes(id: string, starts: readonly StartedTime[]): string[] {
  return starts.flatMap(({ dueAt }, index) => {
    const before = starts[index - 1];
    if (before === undefined) return [];
    const expected = Math.floor(before.startedAt / minuteMs + 1) * minuteMs;
    return dueAt === expected ? [] : [`schedule ${id} lost a minute: after ${before.startedAt} came ${dueAt}`];
  });
}
