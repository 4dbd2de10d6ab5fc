import { retention } from '#generated/rules.ts';
import type { Periods, RetentionKind } from './periods.ts';

const dayMs = 86_400_000;
const daysMax = 36_500;

/** What has a period of its own. */
export const kinds: readonly RetentionKind[] = retention.kinds.map(({ kind }) => kind);

/** What a period may be, for messages. */
export const daysExpected = `expected a whole number of days from 1 to ${daysMax}`;

/** A period of that many days for every kind. Throws an Error that begins with `found` for what is no number of days. */
export function retentionOfDays(days: string): Periods {
  const period = periodOf(Number(days));
  if (period === null) throw new Error(`found ${days} as retention, ${daysExpected}`);
  return new Map(kinds.map((kind) => [kind, period]));
}

/** Returns that many days in ms; null for what is no whole number from 1 to 36500. */
export function periodOf(days: unknown): number | null {
  const isPeriod = typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= daysMax;
  return isPeriod ? days * dayMs : null;
}
