import type { Report, ReportRow } from '../core/report.ts';
import { countVerdicts } from '../runner/count-verdicts.ts';

/**
 * Creates a report with only these rows and their totals. Each row has the members of {@link createRow} that the
 * argument does not replace.
 */
export function createReport(rows: readonly Partial<ReportRow>[]): Report {
  const requirements = rows.map((row, index) => createRow(`ROW-${index}`, row));
  return {
    schema: 'svc-report/1',
    target: { url: 'http://127.0.0.1:1', profile: 'documented', spend: 'none' },
    seed: 1,
    startedAt: '2026-11-21T00:00:00.123Z',
    durationMs: 1234,
    ended: 'complete',
    ...countVerdicts(requirements),
    requirements,
    coverage: [],
    exchanges: [],
    exchangeCount: 0,
    created: [],
    left: [],
    spentUsd: '0',
  };
}

/** Creates the row of a requirement that has passed. `change` replaces or adds members. */
export function createRow(id: string, change: Partial<ReportRow> = {}): ReportRow {
  return {
    id,
    area: 'errors',
    level: 'MUST',
    text: 'It answers.',
    source: 'contract 1',
    profile: 'documented',
    verdict: 'pass',
    cells: { total: 1, judged: 1, failed: 0 },
    failures: [],
    ...change,
  };
}
