import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type JsonValue, isJsonObject, parseJson } from '../core/json.ts';
import { judgeFake } from '../testing/judge-fake.ts';
import { readReport } from './read-report.ts';
import type { Report } from '../core/report.ts';

const faults = ['one V3 cell accepted', 'detail is text', 'V4 list unsorted'] as const;
const reports: [string, Report][] = [
  ['a run with tasks', await judgeFake({ faults })],
  ['a free run', await judgeFake({ faults, options: { spend: 'none', profile: 'documented' } })],
  ['a shard', await judgeFake({ options: { spend: 'none', shard: { index: 2, of: 3 } } })],
];

/** Returns a schema without additional members, so that the test finds members without a description. */
function closed(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJsonObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return isJsonObject(schema['properties']) && schema['type'] === 'object'
    ? { ...inner, additionalProperties: false }
    : inner;
}

describe('the schema of a report', () => {
  it.each(reports)('describes every member of %s', (_name, report) => {
    const schema = parseJson(readFileSync('spec/meta/report.schema.json', 'utf8')) ?? null;
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(closed(schema) as object);
    validate(JSON.parse(JSON.stringify(report)));
    expect(validate.errors ?? []).toEqual([]);
  });
});

describe('reading a report', () => {
  it('gives what was written, unknown members included', () => {
    const [, report] = reports[0] ?? [];
    const later = { ...report, addedLater: 1 };
    expect(readReport(JSON.stringify(later), 'r.json')).toEqual(JSON.parse(JSON.stringify(later)));
  });

  it.each([
    ['no JSON', '{', 'in r.json, line 1, column 2: text that is not JSON'],
    ['another format', '{"schema":"svc-report/2"}', 'r.json, which is no report'],
    ['a member of another type', JSON.stringify({ ...reports[0]?.[1], seed: 'x' }), '/seed must be integer'],
  ])('refuses %s', (_name, text, message) => {
    expect(() => readReport(text, 'r.json')).toThrow(message);
  });
});
