import { describe, expect, it } from 'vitest';
import { judgeFake } from '../testing/judge-fake.ts';
import { diffReports, renderDiff } from './diff-reports.ts';
import type { Report, ReportRow } from '../core/report.ts';

const only = ['V3-THINK-REFUSES', 'V3-GET-02', 'AUTH-01'];
const good = await judgeFake({ options: { only, spend: 'none' } });
const broken = await judgeFake({ faults: ['one V3 cell accepted'], options: { only, spend: 'none' } });

function withRow(report: Report, id: string, change: Partial<ReportRow>): Report {
  return { ...report, requirements: report.requirements.map((row) => (row.id === id ? { ...row, ...change } : row)) };
}

function changes(before: Report, after: Report): Record<string, string> {
  return Object.fromEntries(diffReports(before, after).rows.map(({ id, change }) => [id, change]));
}

describe('the difference of two reports', () => {
  it('is nothing for the same verdicts', () => {
    expect(diffReports(good, good)).toMatchObject({ worse: false, rows: [] });
  });

  it('says what got worse and better', () => {
    const difference = diffReports(good, broken);
    const [first] = difference.rows;
    expect(difference.worse).toBe(true);
    expect(first).toMatchObject({ id: 'V3-THINK-REFUSES', change: 'worse', before: { verdict: 'pass' } });
    expect(first?.after).toMatchObject({ verdict: 'violation' });
    expect(changes(broken, good)).toMatchObject({ 'V3-THINK-REFUSES': 'better' });
    expect(diffReports(broken, good).worse).toBe(false);
  });

  it('calls it worse when more cells fail, or when a row is no longer judged', () => {
    const cells = { total: 90, judged: 90, failed: 5 };
    expect(changes(broken, withRow(broken, 'V3-THINK-REFUSES', { cells }))).toEqual({ 'V3-THINK-REFUSES': 'worse' });
    expect(changes(good, withRow(good, 'AUTH-01', { verdict: 'notRun' }))).toEqual({ 'AUTH-01': 'worse' });
    expect(changes(withRow(good, 'AUTH-01', { verdict: 'notRun' }), good)).toEqual({ 'AUTH-01': 'better' });
  });

  it('tells new and gone rows, and holds a new row against it only when it fails', () => {
    const fewer = { ...good, requirements: good.requirements.filter(({ id }) => id !== 'AUTH-01') };
    expect(changes(fewer, good)).toEqual({ 'AUTH-01': 'new' });
    expect(changes(good, fewer)).toEqual({ 'AUTH-01': 'gone' });
    expect(diffReports(fewer, good).worse).toBe(false);
    expect(diffReports(fewer, withRow(good, 'AUTH-01', { verdict: 'violation' })).worse).toBe(true);
  });

  it('counts money exactly', () => {
    const difference = diffReports({ ...good, spentUsd: '0.3' }, { ...good, spentUsd: '0.1' });
    expect(difference.spentUsd).toEqual({ before: '0.3', after: '0.1', difference: '-0.2' });
  });

  it('reads as text', () => {
    const text = renderDiff(diffReports(good, broken));
    expect(text).toContain(
      'Worse (1)\n  MUST V3-THINK-REFUSES  pass (0 failed, 36 of 36 cells) -> violation (3 failed',
    );
    expect(text).toContain('answered 200; expected a refusal with 422');
    expect(text).toMatch(/A verdict got worse\.\n$/);
    expect(text.split('\n').filter((line) => line.length > 80 && !line.includes('->'))).toEqual([]);
  });
});
