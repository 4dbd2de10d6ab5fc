import { type JsonValue, isJsonObject, textOf } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';
import type { OperationCoverage, Share } from '../core/coverage.ts';

/** Reads the coverage in a report file; throws SuiteError `usage` for any other file. */
export function readCoverage(json: JsonValue | undefined, name = 'a file'): OperationCoverage[] {
  const rows = isJsonObject(json) && json['schema'] === 'svc-report/1' ? json['coverage'] : undefined;
  if (Array.isArray(rows)) return rows.map((row) => coverageOf(row));
  throw new SuiteError('usage', {
    found: `${name} without coverage`,
    expected: 'a report of `svc check --report json=FILE`',
    next: 'write one with this version of svc',
  });
}

function coverageOf(value: JsonValue): OperationCoverage {
  const row = isJsonObject(value) ? value : {};
  return {
    operation: textOf(row['operation']),
    offered: row['offered'] === true,
    requests: Number(row['requests'] ?? 0),
    statuses: shareOf(row['statuses'], Number),
    sent: shareOf(row['sent'], textOf),
    received: shareOf(row['received'], textOf),
    requirements: list(row['requirements'], textOf),
  };
}

function shareOf<T>(value: JsonValue | undefined, read: (item: JsonValue) => T): Share<T> {
  const part = isJsonObject(value) ? value : {};
  return { seen: list(part['seen'], read), unseen: list(part['unseen'], read) };
}

function list<T>(value: JsonValue | undefined, read: (item: JsonValue) => T): T[] {
  return Array.isArray(value) ? value.map((item) => read(item)) : [];
}
