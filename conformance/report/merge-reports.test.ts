import { describe, expect, it } from 'vitest';
import { mergeBaselines, mergeRow } from './merge-reports.ts';
import type { BaselineReport, ReportRow, Verdict } from '../core/report.ts';

function row(verdict: Verdict, change: Partial<ReportRow> = {}): ReportRow {
  const cells = { total: 1, judged: 1, failed: 0 };
  const base = { id: 'V3-GET-01', area: 'v3', level: 'MUST', text: 'It answers.', source: 'contract 1' } as const;
  return { ...base, profile: 'documented', verdict, cells, failures: [], ...change };
}

const own = (item: ReportRow) => ({ row: item, isOwn: true });
const guest = (item: ReportRow) => ({ row: item, isOwn: false });

describe('a row of several shards', () => {
  it.each<[Verdict, Verdict, Verdict]>([
    ['violation', 'pass', 'violation'],
    ['violation', 'error', 'violation'],
    ['error', 'warning', 'error'],
    ['pass', 'note', 'note'],
    ['pass', 'notTestable', 'pass'],
    ['pass', 'notRun', 'notRun'],
    ['notTestable', 'notRun', 'notRun'],
  ])('with %s and %s reads %s', (left, right, want) => {
    expect(mergeRow([own(row(left)), own(row(right))]).verdict).toBe(want);
    expect(mergeRow([own(row(right)), own(row(left))]).verdict).toBe(want);
  });

  it('is not held against a shard that did not have to judge it', () => {
    const elsewhere = row('notRun', { reason: 'shard 1 of 2 judges it' });
    expect(mergeRow([own(row('pass')), guest(elsewhere)])).toEqual(row('pass'));
    expect(mergeRow([guest(elsewhere), own(row('pass'))])).toEqual(row('pass'));
    expect(mergeRow([guest(row('violation')), own(row('pass'))]).verdict).toBe('violation');
    expect(mergeRow([guest(elsewhere), guest(elsewhere)])).toEqual(elsewhere);
  });

  it('shows the fault of the suite behind a violation', () => {
    const merged = mergeRow([own(row('violation')), own(row('error', { reason: 'TypeError: x' }))]);
    expect(merged.reason).toBe('TypeError: x');
  });

  it('is accepted only if the baseline accepts the finding of every shard', () => {
    const accepted = { reason: 'fixed in May', expires: '2027-05-31' };
    const failure = { message: 'no JSON', replay: 'svc1.a', cell: 'a' };
    const known = row('violation', { accepted, failures: [{ ...failure, accepted }] });
    const open = row('violation', { failures: [{ ...failure, cell: 'b' }] });
    expect(mergeRow([own(known), own(known)]).accepted).toEqual(accepted);
    expect(mergeRow([own(known), own(row('pass'))]).accepted).toEqual(accepted);
    expect(mergeRow([own(known), own(open)]).accepted).toBeUndefined();
    expect(mergeRow([own(known), own(row('error', { reason: 'TypeError: x' }))]).accepted).toBeUndefined();
  });

  it('has each failure and each cell once', () => {
    const failure = { message: 'no JSON', replay: 'svc1.a', cell: 'v3.getSession' };
    const other = { message: 'no JSON', replay: 'svc1.b', cell: 'v3.listSessions' };
    const merged = mergeRow([
      own(row('violation', { failures: [failure], cells: { total: 9, judged: 4, failed: 1 } })),
      own(row('violation', { failures: [failure, other], cells: { total: 9, judged: 3, failed: 2 } })),
    ]);
    expect(merged.failures).toEqual([failure, other]);
    expect(merged.cells).toEqual({ total: 9, judged: 4, failed: 2 });
  });

  it('joins judged cells', () => {
    const passed = row('pass', { judgedCells: [{ cell: 'a', verdict: 'pass' }] });
    const judgedCells: ReportRow['judgedCells'] = [
      { cell: 'a', verdict: 'fail' },
      { cell: 'b', verdict: 'pass' },
    ];
    const merged = mergeRow([own(passed), own(row('pass', { judgedCells }))]);
    expect(merged).toMatchObject({ judgedCells, cells: { judged: 2 } });
  });
});

describe('the baseline of several shards', () => {
  const baseline = (change: Partial<BaselineReport>): { baseline: BaselineReport } => {
    const none = { accepted: [], stale: [], expired: [], notJudged: [], unknownCells: [] };
    return { baseline: { file: 'known.json', ...none, ...change } };
  };
  const gone = { name: 'V3-GET-01', why: 'no failure' };
  const elsewhere = { name: 'V3-GET-01', why: 'another shard judges it' };

  it('has each stale entry whose failure no shard has found', () => {
    const merge = (...parts: { baseline: BaselineReport }[]) => mergeBaselines(parts, []).baseline;
    expect(merge(baseline({ stale: [gone] }), baseline({ notJudged: [elsewhere] }))?.stale).toEqual([gone]);
    expect(merge(baseline({ stale: [gone] }), baseline({ notJudged: [elsewhere] }))?.notJudged).toEqual([]);
    expect(merge(baseline({ stale: [gone] }), baseline({}))?.stale).toEqual([]);
    expect(merge(baseline({ notJudged: [elsewhere] }), baseline({ notJudged: [elsewhere] }))?.notJudged).toEqual([
      elsewhere,
    ]);
  });

  it('has the accepted rows of the merged report, and each other entry once', () => {
    const accepted = { reason: 'fixed in May', expires: '2027-05-31' };
    const parts = [baseline({ unknownCells: [gone], expired: [gone] }), baseline({ unknownCells: [gone] })];
    expect(mergeBaselines(parts, [row('violation', { accepted }), row('pass')]).baseline).toMatchObject({
      accepted: ['V3-GET-01'],
      expired: [gone],
      unknownCells: [gone],
    });
    expect(mergeBaselines([{}, {}], [])).toEqual({});
  });
});
