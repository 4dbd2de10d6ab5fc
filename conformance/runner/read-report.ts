import { createValidators } from '#generated/validators/report.ts';
import { suiteLimit } from '../core/bounds.ts';
import { fileValidator } from '../core/file-validator.ts';
import { type FileUse, parseJsonFile, readTextFile } from '../core/data-file.ts';
import type { JsonValue } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { Report } from '../core/report.ts';

/** What a report is, for messages. */
export const reportUse: FileUse = {
  expected: 'a report of `svc check --report json=FILE` (svc-report/1)',
  next: 'pass a file that svc has written',
  bytesMax: suiteLimit('suiteFile'),
};

/** The report in the text of a file. Throws SuiteError `usage` for anything else; members that it does not know stay. */
export function readReport(text: string, name: string): Report {
  const value = parseJsonFile(text, { ...reportUse, name });
  const problems = reportProblems(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just vouched for the shape
  if (problems.length === 0) return value as unknown as Report;
  const { expected, next } = reportUse;
  throw new SuiteError('usage', { found: `${name}, which is no report (${problems[0]})`, expected, next });
}

/** Reads the report in a file. Throws SuiteError `usage` as {@link readReport} and {@link readTextFile} do. */
export function readReportFile(file: string): Report {
  return readReport(readTextFile(file, reportUse), file);
}

/** Why a value is no svc-report/1; empty when it is one. */
function reportProblems(value: JsonValue): string[] {
  const fits = fileValidator(createValidators);
  if (fits(value)) return [];
  return (fits.errors ?? []).map(({ instancePath, message = 'is wrong' }) => `${instancePath || 'the top'} ${message}`);
}
