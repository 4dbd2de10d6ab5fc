const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** How long ago a moment was, as people say it; its date when that is more than a month. */
export function ago(iso: string, nowMs: number): string {
  const ms = Math.max(nowMs - Date.parse(iso), 0);
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  if (ms < 30 * dayMs) return `${Math.floor(ms / dayMs)} d ago`;
  return iso.slice(0, 10);
}

/** A time span such as `2 min 5 s`, in tenths of a second below ten seconds. */
export function span(ms: number): string {
  if (ms < 100) return '<0.1 s';
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long a run has worked: up to its end, or up to now; null for one that has not begun. */
export function runSpan(
  { startedAt, endedAt }: { readonly startedAt: string | null; readonly endedAt: string | null },
  nowMs = Date.now(),
): string | null {
  if (startedAt === null) return null;
  return span((endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt));
}

/** How long each of several things took that ended one after the other, the first of which began at `start`; null where that is not known. */
export function lapses(start: string | null, ends: readonly string[]): (string | null)[] {
  return ends.map((end, index) => {
    const before = index === 0 ? start : (ends[index - 1] ?? null);
    return before === null ? null : span(Date.parse(end) - Date.parse(before));
  });
}

/** A moment to the minute, such as `23 Nov 2026, 09:15`, where the reader is. */
export function minute(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** A moment with its date and the time to the second, where the reader is. */
export function moment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}
