import { text as readStream } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { microsToDecimal } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { AdminFault } from './admin-database.ts';
import { type DescribedProject, keyTable, projectTable } from './tables.ts';

const lengthMax = 100;

/**
 * Parses a name argument: 1 to 100 characters, without spaces at its ends and without invisible characters (Unicode
 * category C, such as control characters). Throws an InvalidArgumentError for any other text.
 */
export function readName(text: string): string {
  if (text.trim() === text && text !== '' && text.length <= lengthMax && !/\p{C}/u.test(text)) return text;
  throw new InvalidArgumentError(`Expected 1 to ${lengthMax} characters that can be shown.`);
}

/** Environment variable of a provider key. */
export const keyVariable = 'SVC_PROVIDER_KEY';

/** Sources of a provider key. The command line is not a source, because every process of the machine can read it. */
export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream;
}

/**
 * Reads the key from the environment variable, otherwise from the input, and trims it. Rejects with an
 * {@link AdminFault} for a value that is not 8 to 4,096 printable ASCII characters without spaces. The message does not
 * contain the value.
 */
export async function readKey({ environment, input }: KeySources): Promise<string> {
  const key = (environment[keyVariable] ?? (await readStream(input))).trim();
  if (/^[\x21-\x7e]{8,4096}$/.test(key)) return key;
  throw new AdminFault(
    `found ${key.length} characters, expected a key of 8 to 4096 printable characters without spaces, in ${keyVariable} or on the standard input`,
  );
}

const unitsMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000 };
const expected =
  'expected a date such as 2027-01-31 (from its first minute on, UTC), or a time from now such as 90d or 12h';

/**
 * Parses the expiry of a key to milliseconds since the epoch. A date means its beginning in UTC, so that no key
 * outlives the displayed date. Throws an {@link AdminFault} for other text and for times that are not after `nowMs`.
 */
export function readExpiry(text: string, nowMs: number): number {
  const expiresAtMs = fromNow(text, nowMs) ?? parseDay(text);
  if (expiresAtMs === null) throw new AdminFault(`found the expiry ${text}, ${expected}`);
  if (expiresAtMs <= nowMs) throw new AdminFault(`found the expiry ${text}, which has passed, ${expected}`);
  return expiresAtMs;
}

function fromNow(text: string, nowMs: number): number | null {
  const [, count, unit = ''] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  return count === undefined || unitMs === undefined ? null : nowMs + Number(count) * unitMs;
}

/**
 * Returns the start of a day in UTC, in milliseconds since the epoch; null for other text and for a date that does not
 * exist, such as February 31.
 */
function parseDay(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text) ? timeMs : null;
}

/**
 * Returns a provider for which projects can store keys. Throws an {@link AdminFault} that lists these providers for any
 * other name.
 */
export function knownProvider({ models }: Pick<RuleBook, 'models'>, provider: string): string {
  const rows = [...models.v3.models, ...models.v4.models];
  const known = [...new Set(rows.map((row) => row.provider))].toSorted();
  if (known.includes(provider)) return provider;
  throw new AdminFault(`found the provider ${provider}. Expected one of ${known.join(', ')}`);
}

/** Formats a project with its active sandboxes, spend, and keys with their state at `nowMs`. */
export function projectText(project: DescribedProject, nowMs: number): string {
  const now = `living now: ${project.living}\nspent: $${microsToDecimal(project.spentMicros)}`;
  return [projectTable([project]), now, keyTable(project.keys, nowMs)].join('\n\n');
}
