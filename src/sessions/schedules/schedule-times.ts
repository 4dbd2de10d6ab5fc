import { Cron } from 'croner';

/**
 * Times of a schedule: five fields of cron, or one ISO 8601 time. A time without an offset is in the time zone of the
 * schedule.
 */
export type Timing = { readonly cron: string } | { readonly at: string };

/** The times of a valid schedule. */
export interface ScheduleTimes {
  /** Five fields of cron; null for a single time. */
  readonly cron: string | null;
  /** First time to run, in milliseconds since the epoch. */
  readonly nextAtMs: number;
}

/** An invalid timing: what was found and what was expected. */
export interface TimingFault {
  readonly fault: string;
}

const lengthMax = 100;
const expectedCron = 'expected five fields of cron that name a time to come, such as 0 9 * * 1-5';
const expectedTime = 'expected a time to come such as 2027-01-31T09:00 (local) or 2027-01-31T08:00:00Z';

/** Parses a timing in a time zone. Returns the first time after `nowMs`, or the error in the timing. */
export function readTiming(
  timing: Timing,
  { timeZone, nowMs }: { readonly timeZone: string; readonly nowMs: number },
): ScheduleTimes | TimingFault {
  if ('cron' in timing) {
    const { cron } = timing;
    const nextAtMs = isCron(cron) ? getNextTime({ cron, timeZone }, nowMs) : null;
    return nextAtMs === null ? { fault: `found the cron text ${shown(cron)}, ${expectedCron}` } : { cron, nextAtMs };
  }
  const atMs = readTime(timing.at, timeZone);
  const isToCome = atMs !== null && atMs > nowMs;
  return isToCome ? { cron: null, nextAtMs: atMs } : { fault: `found the time ${shown(timing.at)}, ${expectedTime}` };
}

/**
 * Returns the next time of a cron expression after a given time; null if no time follows. A local time that a clock
 * change skips runs right after the change. A local time that occurs twice runs at its first occurrence, unless the
 * expression matches every hour.
 */
export function getNextTime(
  { cron, timeZone }: { readonly cron: string; readonly timeZone: string },
  afterMs: number,
): number | null {
  return fields(cron, timeZone).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** Returns whether a name is that of an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Five fields separated by whitespace. A field has no `+`, the sign of croner for a day that has to match both the date
 * and the weekday: croner then searches 8,000 years for a day that may not exist, which takes up to 0.4 s.
 */
const fiveFields = /^\s*[^\s+]+(?:\s+[^\s+]+){4}\s*$/;

function isCron(text: string): boolean {
  if (text.length > lengthMax || !fiveFields.test(text)) return false;
  try {
    return fields(text, 'UTC') !== null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

function fields(cron: string, timeZone: string): Cron {
  return new Cron(cron, { mode: '5-part', timezone: timeZone, paused: true });
}

const dateTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d{1,3})?(Z|[+-]\d\d:\d\d)?$/;

/** Parses an ISO 8601 time with a date that exists; null for other text. */
function readTime(text: string, timeZone: string): number | null {
  const [, minutes = '', seconds = ':00', , offset] = dateTime.exec(text) ?? [];
  const local = `${minutes}${seconds}`;
  const atUtc = new Date(`${local}Z`);
  if (Number.isNaN(atUtc.getTime()) || !atUtc.toISOString().startsWith(local)) return null;
  if (offset !== undefined) return Date.parse(`${local}${offset}`);
  return new Cron(local, { timezone: timeZone, paused: true }).nextRun(new Date(0))?.getTime() ?? null;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, lengthMax));
}
