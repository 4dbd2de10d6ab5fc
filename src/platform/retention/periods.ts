import { retention } from '#generated/rules.ts';
import type { DataFile, FileProblem } from '#lib/data-file.ts';
import type { RetentionKind } from '#store/queries/retention.ts';

/** Retention periods by kind, in milliseconds; a kind without a period is kept forever. */
export type Periods = ReadonlyMap<RetentionKind, number>;

/**
 * Reads a YAML file with days by kind, such as `recordings: 7`. Throws an error that names the file for an unknown
 * kind, and for values other than integers from 1 to 36500. Without this error, data of a misspelt kind would be kept
 * forever.
 */
export function parseRetention(file: DataFile): Periods {
  const { value } = file;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw file.fault([{ path: [], text: 'no mapping, expected days by kind such as "recordings: 7"' }]);
  const problems: FileProblem[] = [];
  const periods = new Map<RetentionKind, number>();
  for (const [word, days] of Object.entries(value)) {
    const kind = kinds.find((known) => known === word);
    const period = toPeriod(days);
    if (kind === undefined)
      problems.push({
        path: [word],
        text: `the unknown kind "${word}", expected one of ${kinds.join(', ')}`,
        unknown: { word, known: kinds },
      });
    else if (period === null)
      problems.push({ path: [word], text: `${JSON.stringify(days)} as ${word}, ${daysExpected}` });
    else periods.set(kind, period);
  }
  if (problems.length > 0) throw file.fault(problems);
  return periods;
}

const dayMs = 86_400_000;
const daysMax = 36_500;

/** All kinds of stored data that can have a period. */
const kinds: readonly RetentionKind[] = retention.kinds.map(({ kind }) => kind);

/** Expected value of a period, for messages. */
const daysExpected = `expected a whole number of days from 1 to ${daysMax}`;

/**
 * Returns periods with the given number of days for every kind of data. Throws an Error that begins with `found` for an
 * invalid number of days.
 */
export function parseDays(days: string): Periods {
  const period = toPeriod(Number(days));
  if (period === null) throw new Error(`found ${days} as retention, ${daysExpected}`);
  return new Map(kinds.map((kind) => [kind, period]));
}

/** Returns a number of days in milliseconds; null for values other than integers from 1 to 36500. */
function toPeriod(days: unknown): number | null {
  const isPeriod = typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= daysMax;
  return isPeriod ? days * dayMs : null;
}
