import { createValidators } from '#generated/validators/report.ts';
import { fileValidator } from '../harness/file-validator.ts';
import { type JsonValue, parseJson } from '../harness/json.ts';
import { SuiteError } from '../harness/suite-error.ts';
import type { Report } from './report.ts';

/** The report in the text of a file. Throws SuiteError `usage` for anything else; members that it does not know stay. */
export function readReport(text: string, name: string): Report {
  const value = parseJson(text);
  const problems = value === undefined ? ['it is not JSON'] : reportProblems(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just vouched for the shape
  if (problems.length === 0) return value as unknown as Report;
  throw new SuiteError('usage', {
    found: `${name}, which is no report (${problems[0]})`,
    expected: 'a report of `svc check --report json=FILE` (svc-report/1)',
    next: 'pass a file that svc has written',
  });
}

/** Why a value is no svc-report/1; empty when it is one. */
function reportProblems(value: JsonValue): string[] {
  const fits = fileValidator(createValidators);
  if (fits(value)) return [];
  return (fits.errors ?? []).map(({ instancePath, message = 'is wrong' }) => `${instancePath || 'the top'} ${message}`);
}
