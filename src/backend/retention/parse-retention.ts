import { parse } from 'yaml';
import type { Periods, RetentionKind } from './periods.ts';
import { kinds, periodOf } from './retention-of-days.ts';

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
