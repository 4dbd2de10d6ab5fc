/** A recorded start of a schedule, with its session. */
export interface StartedTime {
  readonly scheduleId: string;
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  readonly startedAt: number;
  readonly sessionId: string | null;
  readonly refusal: string | null;
  /** Status of its session; null without one. */
  readonly status: string | null;
  /** Runs of the task in this session. */
  readonly runs: number;
  /** Runs of the task in all sessions. */
  readonly runsOfSchedule: number;
}

/** Acknowledged schedules, and what the service started. */
export interface Observed {
  /** Ids of schedules with a single time. */
  readonly singles: readonly string[];
  /** Ids of schedules that run every minute. */
  readonly repeated: readonly string[];
  /** Every start, by schedule and time. */
  readonly starts: readonly StartedTime[];
}

const minuteMs = 60_000;
const ended: ReadonlySet<string | null> = new Set(['stopped', 'error', 'timed_out']);

/** Returns what was lost, started twice or did not end, as sentences. */
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

/** A minute is lost when it is later than the start before it, and has none of its own. */
function findLostMinutes(id: string, starts: readonly StartedTime[]): string[] {
  return starts.flatMap(({ dueAt }, index) => {
    const before = starts[index - 1];
    if (before === undefined) return [];
    const expected = Math.floor(before.startedAt / minuteMs + 1) * minuteMs;
    return dueAt === expected ? [] : [`schedule ${id} lost a minute: after ${before.startedAt} came ${dueAt}`];
  });
}
