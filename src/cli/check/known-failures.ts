import { existsSync } from 'node:fs';
import {
  type Baseline,
  type Report,
  SuiteError,
  applyBaseline,
  baselineUse,
  isPlaceholder,
  readBaseline,
  readTextFile,
  renderBaseline,
  updateBaseline,
} from '#conformance/index.ts';
import { type Flags, text } from './read-flags.ts';
import { checkWritable, writeText } from './outputs.ts';

/** The baseline of known failures, and the values with which the run updates the baseline file. */
export interface KnownFailures {
  baseline: Baseline;
  /** Reason and expiry date of new entries; undefined when the file is only read. */
  update: { reason: string; expires: string } | undefined;
}

/**
 * Reads `--baseline`, `--update-baseline`, `--reason` and `--expires`; undefined without `--baseline`. Throws
 * SuiteError `usage` for an incomplete set of these flags, for `--certify` or `--replay` beside `--baseline`, and for
 * an unreadable or malformed file.
 */
export function readKnownFailures(flags: Flags): KnownFailures | undefined {
  const file = text(flags, 'baseline');
  const update = readUpdate(flags, file !== undefined);
  if (file === undefined) return undefined;
  const clash = (['certify', 'replay'] as const).find((name) => text(flags, name) !== undefined);
  if (clash !== undefined) {
    throw new SuiteError('usage', {
      found: `--baseline together with --${clash}`,
      expected:
        clash === 'certify' ? 'a certificate without known failures' : 'a replay of one case, which is no whole run',
      next: 'leave one of them out',
    });
  }
  const fresh = update !== undefined && !existsSync(file);
  const baseline = fresh ? { file, entries: [] } : readBaseline({ text: readTextFile(file, baselineUse), name: file });
  return { baseline, update };
}

/** If the run updates the baseline file, checks with {@link checkWritable} that this file can be written. */
export function checkKnownWritable(known: KnownFailures | undefined): void {
  if (known?.update !== undefined) checkWritable({ file: known.baseline.file, flag: '--baseline' });
}

/**
 * Returns the ids of requirements whose failures the baseline accepts in all cells, by entries that have not expired.
 * These failures do not end a run early.
 */
export function knownIds(known: KnownFailures | undefined): string[] {
  const inTime = known?.baseline.entries.filter(({ cell, expires }) => cell === undefined && expires >= today());
  return inTime?.map(({ id }) => id) ?? [];
}

/** A report in which known failures are marked as such. */
export interface Settled {
  readonly report: Report;
  /** Writes the updated file, if requested. Throws SuiteError `usage` if the file cannot be written. */
  write(): void;
}

/**
 * Marks the failures of a report that the baseline accepts. With `--update-baseline`, the updated baseline decides
 * which failures are known.
 */
export function settleKnownFailures(report: Report, known: KnownFailures | undefined): Settled {
  if (known === undefined) return { report, write: () => undefined };
  const { baseline, update } = known;
  const day = today();
  if (update === undefined) return { report: applyBaseline(report, baseline, day), write: () => undefined };
  const updated = updateBaseline(report, baseline, { ...update, today: day });
  return {
    report: applyBaseline(report, updated, day),
    write: () => writeText({ file: baseline.file, flag: '--baseline' }, renderBaseline(updated)),
  };
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function readUpdate(flags: Flags, hasFile: boolean): KnownFailures['update'] {
  const [reason, expires] = [text(flags, 'reason'), text(flags, 'expires')];
  const wanted = flags['updateBaseline'] === true;
  if (!wanted && reason === undefined && expires === undefined) return undefined;
  if (wanted && hasFile && reason !== undefined && !isPlaceholder(reason) && expires !== undefined && isDay(expires))
    return { reason, expires };
  throw new SuiteError('usage', {
    found: 'an incomplete or malformed set of options for known failures',
    expected: "--update-baseline with --baseline FILE, --reason 'why they are accepted' and --expires YYYY-MM-DD",
    next: 'pass all four; the reason explains why the failures are accepted',
  });
}

function isDay(word: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(word) ? Date.parse(`${word}T00:00:00Z`) : Number.NaN;
  // `Date.parse` takes 30 February for 2 March, and a baseline file with 30 February could not be read again.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(word);
}
