import type { RunEvent } from '../api/types.ts';

/** Where the browser of a run can be watched, by its events; null before it is there. */
export function liveAddress(events: readonly RunEvent[]): string | null {
  const data = events.findLast(({ type }) => type === 'browser.ready')?.data;
  const address = data === undefined ? undefined : Reflect.get(data, 'live_view_url');
  return typeof address === 'string' && URL.canParse(address) ? address : null;
}
