import type { DataFile, FileProblem } from '#lib/data-file.ts';
import type { Periods, RetentionKind } from './periods.ts';
import { daysExpected, kinds, periodOf } from './retention-of-days.ts';

/**
 * Returns the periods of a YAML file: days by kind, such as `recordings: 7`. Throws the fault of the file for an unknown kind, since a typo must not keep
 * what was to go, and for what is no whole number from 1 to 36500.
 */
export function parseRetention(file: DataFile): Periods {
  const { value } = file;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw file.fault([{ path: [], text: 'no mapping, expected days by kind such as "recordings: 7"' }]);
  const problems: FileProblem[] = [];
  const periods = new Map<RetentionKind, number>();
  for (const [word, days] of Object.entries(value)) {
    const kind = kinds.find((known) => known === word);
    const period = periodOf(days);
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
