import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
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
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = parseJson(readFileSync(new URL('../../generated/report.schema.json', import.meta.url), 'utf8'));
  if (typeof schema !== 'object' || schema === null)
    throw new Error('generated/report.schema.json: expected an object');
  if (ajv.validate(schema, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message = 'is wrong' }) => `${instancePath || 'the top'} ${message}`);
}
