import { parse } from 'yaml';
import { retention } from '#generated/rules.ts';
import type { Periods, RetentionKind } from './periods.ts';

const dayMs = 86_400_000;
const daysMax = 36_500;

const kinds: readonly RetentionKind[] = retention.kinds.map(({ kind }) => kind);

/** A period of that many days for every kind. Throws an Error that begins with `found` for what is no number of days. */
export function retentionOfDays(days: string): Periods {
  const period = periodOf(Number(days), 'retention');
  return new Map(kinds.map((kind) => [kind, period]));
}

/**
 * The periods of a YAML file: days by kind, such as `recordings: 7`. Throws an Error that begins with `found` for a kind that there
 * is not, since a typo must not keep what was to go, and for what is no whole number from 1 to 36500.
 */
export function parseRetention(text: string, name: string): Periods {
  const given: unknown = parse(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error(`found no mapping in ${name}, expected days by kind such as "recordings: 7"`);
  return new Map(
    Object.entries(given).map(([kind, days]) => [knownKind(kind, name), periodOf(days, `${kind} of ${name}`)]),
  );
}

function knownKind(given: string, name: string): RetentionKind {
  const kind = kinds.find((known) => known === given);
  if (kind !== undefined) return kind;
  throw new Error(`found the kind ${given} in ${name}, expected one of ${kinds.join(', ')}`);
}

function periodOf(days: unknown, name: string): number {
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= daysMax) return days * dayMs;
  throw new Error(`found ${JSON.stringify(days)} as ${name}, expected a whole number of days from 1 to ${daysMax}`);
}
