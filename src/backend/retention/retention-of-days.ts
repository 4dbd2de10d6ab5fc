import { retention } from '#generated/rules.ts';
import type { Periods, RetentionKind } from './periods.ts';

const dayMs = 86_400_000;
const daysMax = 36_500;

/** What has a period of its own. */
export const kinds: readonly RetentionKind[] = retention.kinds.map(({ kind }) => kind);

/** A period of that many days for every kind. Throws an Error that begins with `found` for what is no number of days. */
export function retentionOfDays(days: string): Periods {
  const period = periodOf(Number(days), 'retention');
  return new Map(kinds.map((kind) => [kind, period]));
}

/** That many days in ms. Throws an Error that begins with `found` for what is no whole number from 1 to 36500; `name` says where it stands. */
export function periodOf(days: unknown, name: string): number {
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= daysMax) return days * dayMs;
  throw new Error(`found ${JSON.stringify(days)} as ${name}, expected a whole number of days from 1 to ${daysMax}`);
}
