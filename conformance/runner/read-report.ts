import { createValidators } from '#generated/validators/report.ts';
import { suiteLimit } from '../core/bounds.ts';
import { fileValidator } from '../core/file-validator.ts';
import { type FileUse, parseJsonFile, readTextFile } from '../core/data-file.ts';
import type { JsonValue } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { Report } from '../core/report.ts';

/** Description of a report file, for messages. */
export const reportUse: FileUse = {
  expected: 'a report of `svc check --report json=FILE` (svc-report/1)',
  next: 'pass a file that svc has written',
  bytesMax: suiteLimit('suiteFile'),
};

/** Parses the text of a report file. Throws SuiteError `usage` for any other text; keeps unknown members. */
export function readReport(text: string, name: string): Report {
  const value = parseJsonFile(text, { ...reportUse, name });
  const problems = reportProblems(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has validated the value
  if (problems.length === 0) return value as unknown as Report;
  const { expected, next } = reportUse;
  throw new SuiteError('usage', { found: `${name}, which is no report (${problems[0]})`, expected, next });
}

/** Reads the report in a file. Throws SuiteError `usage` as {@link readReport} and {@link readTextFile} do. */
export function readReportFile(file: string): Report {
  return readReport(readTextFile(file, reportUse), file);
}

/** Returns the problems of a value as svc-report/1; empty for a valid report. */
function reportProblems(value: JsonValue): string[] {
  const fits = fileValidator(createValidators);
  if (fits(value)) return [];
  return (fits.errors ?? []).map(({ instancePath, message = 'is wrong' }) => `${instancePath || 'the top'} ${message}`);
}
