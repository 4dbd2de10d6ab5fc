import { AdminFault } from './admin-fault.ts';

const unitsMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000 };
const expected =
  'expected a date such as 2027-01-31 (from its first minute on, UTC), or a time from now such as 90d or 12h';

/**
 * When a key expires, in milliseconds since the epoch: a date means the beginning of that day in UTC, so that no key holds longer than
 * somebody reads there. Throws an {@link AdminFault} for anything else, and for what is not after `nowMs`.
 */
export function readExpiry(text: string, nowMs: number): number {
  const expiresAtMs = fromNow(text, nowMs) ?? startOfDay(text);
  if (expiresAtMs === null) throw new AdminFault(`found the expiry ${text}, ${expected}`);
  if (expiresAtMs <= nowMs) throw new AdminFault(`found the expiry ${text}, which has passed, ${expected}`);
  return expiresAtMs;
}

function fromNow(text: string, nowMs: number): number | null {
  const [, count, unit = ''] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  return count === undefined || unitMs === undefined ? null : nowMs + Number(count) * unitMs;
}

/** A day that no calendar has, such as the 31st of February, is none. */
function startOfDay(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text) ? timeMs : null;
}
