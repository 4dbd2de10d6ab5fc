/** Milliseconds since the epoch as a date and time in UTC; `none` where there are none. */
export function shownTime(timeMs: number | null, none: string): string {
  return timeMs === null ? none : new Date(timeMs).toISOString();
}
