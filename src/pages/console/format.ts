import type { Browser, Profile, Workspace } from './api/types.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Formats the time since a moment, such as `5 min ago`. From 30 days on, returns the UTC date of the moment. */
export function ago(iso: string, nowMs: number): string {
  const ms = Math.max(nowMs - Date.parse(iso), 0);
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  if (ms < 30 * dayMs) return `${Math.floor(ms / dayMs)} d ago`;
  return iso.slice(0, 10);
}

/** Formats a duration such as `2 min 5 s`, with tenths of a second below ten seconds. */
export function span(ms: number): string {
  if (ms < 100) return '<0.1 s';
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats the working time of a run up to its end or until now; null before its start. */
export function runSpan(
  { startedAt, endedAt }: { readonly startedAt: string | null; readonly endedAt: string | null },
  nowMs = Date.now(),
): string | null {
  if (startedAt === null) return null;
  return span((endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt));
}

/**
 * Formats the durations of consecutive events from their end times. `start` is the beginning of the first event. An
 * unknown duration is null.
 */
export function lapses(start: string | null, ends: readonly string[]): (string | null)[] {
  return ends.map((end, index) => {
    const before = index === 0 ? start : (ends[index - 1] ?? null);
    return before === null ? null : span(Date.parse(end) - Date.parse(before));
  });
}

/** Formats a moment to the minute in local time, such as `23 Nov 2026, 09:15`. */
function minute(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Formats a moment with date and seconds in local time. */
export function moment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

const units = ['kB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes in decimal units (1 kB = 1000 B). */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ''}`;
}

/** Micro-dollars in a US dollar. */
export const microsPerUsd = 1_000_000;

/**
 * Formats US dollars: two decimals from $1 on, two to four decimals below $1, and `<$0.0001` below $0.0001. Zero is
 * `$0`.
 */
export function usd(amount: number): string {
  if (amount === 0) return '$0';
  if (Math.abs(amount) < 0.0001) return '<$0.0001';
  const digits = Math.abs(amount) >= 1 ? 2 : 4;
  const text = amount.toFixed(digits);
  return `$${digits === 4 ? text.replace(/0{1,2}$/, '') : text}`;
}

/** Formats an amount of US dollars that is given as a decimal string; undefined counts as 0. */
export function formatUsdText(text: string | undefined): string {
  return usd(Number(text ?? 0));
}

/** Formats an amount of micro-dollars as US dollars. */
export function formatUsdMicros(micros: number): string {
  return usd(micros / microsPerUsd);
}

/** Pattern of an input for US dollars: at most nine digits before the point and six after it, and at least one digit. */
export const usdPattern = String.raw`[0-9]{1,9}(\.[0-9]{0,6})?|\.[0-9]{1,6}`;

/** Converts the text of an input for US dollars to micro-dollars; null for an empty text. */
export function parseUsd(text: string): number | null {
  return text === '' ? null : Math.round(Number(text) * microsPerUsd);
}

/**
 * Converts a URL of this service to a path below the page, so that it works when the page was opened under another host
 * name. `depth` is the number of final path segments to keep, such as 2 for live/TOKEN.
 */
export function ownPath(address: string, depth: number): string {
  const { pathname, search } = new URL(address);
  return `${pathname.split('/').slice(-depth).join('/')}${search}`;
}

/** Returns the name of a browser: its label `name`, else its start time. */
export function browserName({ metadata, startedAt }: Pick<Browser, 'metadata' | 'startedAt'>): string {
  const label = metadata?.['name'];
  return label ? label : `Browser of ${minute(startedAt)}`;
}

/** Returns the name of a profile: its name, else its user, else its creation time. */
export function profileName({ name, userId, createdAt }: Profile): string {
  return name ?? userId ?? `Profile of ${minute(createdAt)}`;
}

/** Returns the name of a workspace, else its creation time. */
export function workspaceName(workspace: {
  readonly name?: Workspace['name'] | undefined;
  readonly createdAt: string;
}): string {
  const { name, createdAt } = workspace;
  return name ? name : `Workspace of ${minute(createdAt)}`;
}
