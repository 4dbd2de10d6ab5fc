import { safeText } from '../core/safe-text.ts';
import { lazyModules } from '../core/lazy-modules.ts';
import { describeAcceptance } from './baseline-text.ts';
import { failureLines, failureTitle } from '../runner/failure-text.ts';
import type { Report, ReportRow } from '../core/report.ts';
import { contractLines } from '../core/requirement.ts';
import { runVerdict } from './verdict.ts';

/**
 * Renders a report as JUnit XML for build servers: a suite per area with a test case per requirement, and a suite `run`
 * for the whole run. A violation is a failure, a fault of the suite an error. Unjudged rows and accepted failures are
 * skipped, with the reason.
 */
export function renderJunit(report: Report): string {
  const { default: XmlBuilder } = lazyModules.xmlBuilder();
  const builder = new XmlBuilder({ ignoreAttributes: false, format: true, suppressEmptyNode: true });
  const areas = Map.groupBy(report.requirements, ({ area }) => area);
  const text = builder.build({
    '?xml': attributes({ version: '1.0', encoding: 'UTF-8' }),
    testsuites: {
      ...attributes({
        name: `${report.client === undefined ? 'svc check' : 'svc check-client'}: ${runVerdict(report).text}`,
        ...total(counts(report.requirements), runCounts(report)),
        time: seconds(report.durationMs),
      }),
      testsuite: [...[...areas].map(([area, rows]) => suite({ report, area, rows })), runSuite(report)],
    },
  });
  return legal(text);
}

// A run can fail although every requirement passes: for a remaining resource, a stale baseline entry, or an early end.
function runSuite(report: Report): Element {
  const { text, result } = runVerdict(report);
  const { failures } = runCounts(report);
  const outcomes = {
    'system-out': text,
    ...(failures === '1' ? { failure: attributes({ message: text, type: result }) } : {}),
  };
  return {
    ...attributes({ name: 'run', ...runCounts(report), time: '0' }),
    testcase: [{ ...attributes({ classname: 'svc.run', name: 'The run as a whole passes' }), ...outcomes }],
  };
}

function runCounts(report: Report): Counts {
  const { failures, errors } = counts(report.requirements);
  const isShown = Number(failures) + Number(errors) > 0;
  const failed = !isShown && runVerdict(report).exitCode !== 0;
  return { tests: '1', failures: failed ? '1' : '0', errors: '0', skipped: '0' };
}

interface Suite {
  report: Report;
  area: string;
  rows: readonly ReportRow[];
}

/** An XML element: attributes, whose names begin with `@_`, and children. */
type Element = Record<string, unknown>;

function suite({ report, area, rows }: Suite): Element {
  const timestamp = report.startedAt.replace(/\.\d+Z$/, '');
  const properties = Object.entries(listProperties(report)).map(([name, value]) => attributes({ name, value }));
  return {
    ...attributes({ name: area, ...counts(rows), time: '0', timestamp }),
    properties: { property: properties },
    testcase: rows.map((row) => ({
      ...attributes({ classname: `svc.${row.area}`, name: `${row.level} ${row.text} [${row.id}]` }),
      ...outcome(row, report),
    })),
  };
}

function listProperties({ seed, target, ended, spentUsd, exchangeCount }: Report): Record<string, string> {
  const { url, profile, spend } = target;
  return { url, profile, spend, seed: String(seed), ended, requests: String(exchangeCount), spentUsd };
}

function outcome(row: ReportRow, report: Report): Element {
  const { verdict, reason = '', failures } = row;
  const skip = skipReason(row);
  if (skip !== undefined) return { skipped: attributes({ message: skip }) };
  if (verdict === 'error') {
    return { error: { ...attributes({ message: reason.split('\n')[0] ?? '', type: 'error' }), '#text': reason } };
  }
  if (verdict === 'violation') {
    const message = failures[0] === undefined ? row.text : failureTitle(failures[0]);
    return { failure: { ...attributes({ message, type: verdict }), '#text': renderBody(row, report) } };
  }
  // A warning or a note must not fail a build.
  return failures.length > 0 ? { 'system-out': `${verdict}\n${renderBody(row, report)}` } : {};
}

function attributes(values: Readonly<Record<string, string>>): Element {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`@_${name}`, value]));
}

function renderBody(row: ReportRow, { exchanges }: Report): string {
  const { source, reason, failures } = row;
  const parts = failures.map((failure) => [failureTitle(failure), ...failureLines(failure, exchanges)].join('\n  '));
  return [...contractLines(row), `source: ${source}`, ...(reason === undefined ? [] : [reason]), ...parts].join('\n');
}

function skipReason(row: ReportRow): string | undefined {
  const { verdict, reason = 'no reason' } = row;
  if (verdict === 'notTestable') return `not testable: ${reason}`;
  if (verdict === 'notRun') return `not run: ${reason}`;
  return describeAcceptance(row);
}

type Counts = Record<'tests' | 'failures' | 'errors' | 'skipped', string>;

function total(left: Counts, right: Counts): Counts {
  const sum = (name: keyof Counts): string => String(Number(left[name]) + Number(right[name]));
  return { tests: sum('tests'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') };
}

function counts(rows: readonly ReportRow[]): Counts {
  const judged = rows.filter((row) => skipReason(row) === undefined);
  const count = (verdict: ReportRow['verdict']): string =>
    String(judged.filter((row) => row.verdict === verdict).length);
  return {
    tests: String(rows.length),
    failures: count('violation'),
    errors: count('error'),
    skipped: String(rows.length - judged.length),
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

// Safe text contains only two characters that XML 1.0 forbids: the two non-characters.
function legal(xml: string): string {
  return safeText(xml).replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD');
}
