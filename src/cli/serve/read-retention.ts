import { readFile } from 'node:fs/promises';
import { type Periods, retentionOfDays } from '#backend/retention/index.ts';

/**
 * The periods that a flag names: days for every kind, or a file of days by kind; null for none, and everything is kept. Rejects with an
 * Error that begins with `found` for what cannot be used.
 */
export async function readRetention(given: string | null): Promise<Periods> {
  if (given === null) return new Map();
  if (/^\d+$/.test(given)) return retentionOfDays(given);
  const { parseRetention } = await import('#backend/retention/parse-retention.ts');
  return parseRetention(await textOf(given), given);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const expected = 'expected a number of days, or a file of days by kind (docs/guides/run.md)';
    throw new Error(`found no file of periods at ${file} (${String(error.code)}), ${expected}`, { cause: error });
  }
}
