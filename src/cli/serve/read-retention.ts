import { readYamlFile } from '#conformance/core/data-file.ts';
import { type Periods, retentionOfDays } from '#platform/retention/index.ts';

/**
 * The periods that a flag names: days for every kind, or a file of days by kind; null for none, and everything is kept. Rejects with an
 * Error that begins with `found` for what cannot be used.
 */
export async function readRetention(given: string | null): Promise<Periods> {
  if (given === null) return new Map();
  if (/^\d+$/.test(given)) return retentionOfDays(given);
  const { parseRetention } = await import('#platform/retention/periods.ts');
  return parseRetention(readYamlFile(given, retentionUse));
}

const retentionUse = {
  expected: 'a number of days, or a file of days by kind',
  next: 'correct --retention or its file; docs/guides/run.md describes it',
};
