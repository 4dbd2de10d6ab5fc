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

/** A time span such as `2 min 5 s`. */
export function span(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 0);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A moment with its date and the time to the second, where the reader is. */
export function moment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}
