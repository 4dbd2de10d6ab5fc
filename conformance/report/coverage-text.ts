import { wrap } from './wrap.ts';
import { type OperationCoverage, type Share, notExercised, statusesBeforeExecution } from '../core/coverage.ts';
import { type JsonValue, isJsonObject, toText } from '../core/json.ts';
import { SuiteError } from '../core/suite-error.ts';

/** Maximum number of names in a list, so that the table stays readable; the JSON has all names. */
const namesMax = 12;

const columns = 80;
const indent = '      ';

/** Renders coverage as text for a terminal of 80 columns. */
export function renderCoverage(coverage: readonly OperationCoverage[]): string {
  const offered = coverage.filter((row) => row.offered);
  const never = notExercised(coverage);
  const lines = [
    line(['operation', 'requests', 'statuses', 'sent', 'received', 'rows']),
    ...offered.map((row) =>
      line([row.operation, String(row.requests), ...shares(row), String(row.requirements.length)]),
    ),
    line(['all', String(sum(offered, ({ requests }) => requests)), ...totals(offered), '']),
    '',
    ...coverageSentences(coverage).map((sentence) => wrap(sentence, columns, '')),
    ...never.map(({ operation }) => `  never exercised: ${operation}`),
    ...unseen('Statuses never seen', offered, ({ statuses }) => statuses.unseen),
    ...unseen('Request members never sent', offered, ({ sent }) => sent.unseen),
    ...unseen('Answer members never received', offered, ({ received }) => received.unseen),
  ];
  return `${lines.map((text) => text.trimEnd()).join('\n')}\n`;
}

/** Returns sentences with the numbers of exercised operations, and of operations that the target does not offer. */
export function coverageSentences(coverage: readonly OperationCoverage[]): string[] {
  const offered = coverage.filter((row) => row.offered).length;
  const away = coverage.length - offered;
  const exercised = `${offered - notExercised(coverage).length} of ${offered} operations were exercised`;
  return [
    `${exercised}: called, and not only answered ${statusesBeforeExecution.join(', ')}.`,
    ...(away === 0 ? [] : [`${away} are not offered by the target file.`]),
  ];
}

function line([name = '', ...counts]: readonly string[]): string {
  return name.padEnd(28) + counts.map((count) => count.padStart(10)).join('');
}

type Column = (row: OperationCoverage) => Share<unknown>;

const counted: readonly Column[] = [({ statuses }) => statuses, ({ sent }) => sent, ({ received }) => received];

function shares(row: OperationCoverage): string[] {
  return counted.map((column) => ratio([column(row)]));
}

function totals(rows: readonly OperationCoverage[]): string[] {
  return counted.map((column) => ratio(rows.map((row) => column(row))));
}

function ratio(parts: readonly Share<unknown>[]): string {
  const seen = sum(parts, (part) => part.seen.length);
  const all = seen + sum(parts, (part) => part.unseen.length);
  return all === 0 ? '-' : `${seen}/${all}`;
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

function unseen(
  title: string,
  rows: readonly OperationCoverage[],
  names: (row: OperationCoverage) => readonly unknown[],
): string[] {
  const open = rows.filter((row) => row.requests > 0 && names(row).length > 0);
  if (open.length === 0) return [];
  const operationLine = (row: OperationCoverage): string =>
    `  ${wrap(`${row.operation}: ${cut(names(row))}`, columns, indent)}`;
  return ['', `${title} (${sum(open, (row) => names(row).length)})`, ...open.map((row) => operationLine(row))];
}

function cut(names: readonly unknown[]): string {
  const more = names.length - namesMax;
  return names.slice(0, namesMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Reads the coverage in a report file; throws SuiteError `usage` for any other file. */
export function readCoverage(json: JsonValue | undefined, name = 'a file'): OperationCoverage[] {
  const rows = isJsonObject(json) && json['schema'] === 'svc-report/1' ? json['coverage'] : undefined;
  if (Array.isArray(rows)) return rows.map((row) => parseOperation(row));
  throw new SuiteError('usage', {
    found: `${name} without coverage`,
    expected: 'a report of `svc check --report json=FILE`',
    next: 'write one with this version of svc',
  });
}

function parseOperation(value: JsonValue): OperationCoverage {
  const row = isJsonObject(value) ? value : {};
  return {
    operation: toText(row['operation']),
    offered: row['offered'] === true,
    requests: Number(row['requests'] ?? 0),
    statuses: parseShare(row['statuses'], Number),
    sent: parseShare(row['sent'], toText),
    received: parseShare(row['received'], toText),
    requirements: list(row['requirements'], toText),
  };
}

function parseShare<T>(value: JsonValue | undefined, read: (item: JsonValue) => T): Share<T> {
  const part = isJsonObject(value) ? value : {};
  return { seen: list(part['seen'], read), unseen: list(part['unseen'], read) };
}

function list<T>(value: JsonValue | undefined, read: (item: JsonValue) => T): T[] {
  return Array.isArray(value) ? value.map((item) => read(item)) : [];
}
