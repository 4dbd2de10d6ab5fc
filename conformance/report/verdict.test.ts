import { describe, expect, it } from 'vitest';
import { createReport } from '../testing/create-report.ts';
import { renderBadge } from './badge.ts';
import { renderHtml } from './html/render-html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { Certificate, Report, Totals } from '../core/report.ts';
import { renderTerminal } from './terminal.ts';
import { type RunVerdict, runVerdict } from './verdict.ts';

const entry = { name: 'AUTH-01', why: 'it passes now' };
const baseline = { file: 'known.yaml', accepted: [], stale: [], expired: [], notJudged: [], unknownCells: [] };
const certificate: Certificate = {
  set: 'v4',
  frozen: '2026-11-20',
  certified: false,
  passed: 1,
  total: 2,
  missing: [],
  excluded: [],
  advised: [],
};
const none: Totals = { passed: 1, violations: 0, warnings: 0, notes: 0, notTestable: 0, notRun: 0, errors: 0 };
const known = { verdict: 'violation' as const, accepted: { reason: 'known', expires: '2027-01-01' } };
const report: Report = { ...createReport([{}]), totals: none, beyond: { ...none, passed: 0 } };
const blocked = { verdict: 'notTestable', reason: 'v3.createSession answered 403', blocked: true } as const;
const left = { kind: 'session', generation: 'v3', id: 's1', createdBy: 'createSession', state: 'live' } as const;

describe('the verdict of a run', () => {
  it.each<[string, Partial<Report>, Omit<RunVerdict, 'reasons'>]>([
    ['without violations', {}, { result: 'passed', exitCode: 0, text: 'PASSED: no violation · 1 passed' }],
    [
      'with a violation of each scope',
      { totals: { ...none, violations: 1, notRun: 2 }, beyond: { ...none, passed: 3, violations: 1 } },
      {
        result: 'failed',
        exitCode: 1,
        text: 'FAILED: 2 violations (1 contract, 1 beyond) · 1 passed · 2 not run · beyond the contract 3 passed',
      },
    ],
    [
      'with a violation beyond the contract only',
      { beyond: { ...none, passed: 0, violations: 1 } },
      { result: 'failed', exitCode: 1, text: 'FAILED: 1 violation (0 contract, 1 beyond) · 1 passed' },
    ],
    [
      'with a row not run and --strict',
      { strict: true, totals: { ...none, notRun: 1 } },
      { result: 'failed', exitCode: 1, text: 'FAILED: 1 requirement not judged (--strict) · 1 passed · 1 not run' },
    ],
    [
      'with --strict and rows left out beyond the contract',
      { strict: true, beyond: { ...none, passed: 0, notRun: 1 } },
      { result: 'passed', exitCode: 0, text: 'PASSED: no violation · 1 passed' },
    ],
    [
      'with a known violation',
      { ...createReport([{}, known]), baseline, strict: true },
      { result: 'passed', exitCode: 0, text: 'PASSED: no violation · 1 known violation accepted · 1 passed' },
    ],
    [
      'with a known violation beside another one',
      { ...createReport([known, { verdict: 'violation' }]), baseline },
      { result: 'failed', exitCode: 1, text: 'FAILED: 1 violation · 1 known violation accepted · 0 passed' },
    ],
    [
      'with a stale entry',
      { baseline: { ...baseline, stale: [entry] } },
      { result: 'failed', exitCode: 1, text: 'FAILED: 1 stale baseline entry · 1 passed' },
    ],
    [
      'with an entry for an unknown cell',
      { baseline: { ...baseline, unknownCells: [entry] } },
      { result: 'unusable', exitCode: 2, text: 'UNUSABLE BASELINE: 1 entry for an unknown cell · 1 passed' },
    ],
    [
      'with entries that were not judged',
      { baseline: { ...baseline, notJudged: [entry] } },
      { result: 'passed', exitCode: 0, text: 'PASSED: no violation · 1 passed' },
    ],
    [
      'with resources left alive',
      { left: [left] },
      { result: 'failed', exitCode: 1, text: 'FAILED: 1 resource left alive · 1 passed' },
    ],
    [
      'with a set that was not shown',
      { certify: [certificate] },
      { result: 'failed', exitCode: 1, text: 'FAILED: v4 not certified (1 of 2) · 1 passed' },
    ],
    [
      'with a set that was shown',
      { certify: [{ ...certificate, certified: true }] },
      { result: 'passed', exitCode: 0, text: 'PASSED: no violation · 1 passed' },
    ],
    [
      'that was interrupted',
      { ended: 'interrupted', totals: { ...none, violations: 1 } },
      { result: 'incomplete', exitCode: 4, text: 'INCOMPLETE: it was interrupted, 1 violation · 1 passed' },
    ],
    [
      'that the limit of failures ended',
      { ended: 'maxFailures', totals: { ...none, violations: 1 } },
      {
        result: 'failed',
        exitCode: 1,
        text: 'FAILED: the limit of failed requirements was reached, 1 violation · 1 passed',
      },
    ],
    [
      'with a fault of the suite',
      { beyond: { ...none, passed: 0, errors: 1 }, ended: 'timeLimit' },
      {
        result: 'fault',
        exitCode: 5,
        text: 'FAULT OF THE SUITE: 1 check broke, the time limit was reached · 1 passed',
      },
    ],
    [
      'with a blocked operation',
      { ...createReport([{}, blocked]) },
      {
        result: 'incomplete',
        exitCode: 4,
        text: 'INCOMPLETE: v3.createSession answered 403 · 1 passed · 1 not testable',
      },
    ],
    [
      'with a blocked operation and a violation',
      { ...createReport([{ verdict: 'violation' }, blocked]) },
      {
        result: 'failed',
        exitCode: 1,
        text: 'FAILED: 1 violation, v3.createSession answered 403 · 0 passed · 1 not testable',
      },
    ],
    [
      'that has judged nothing',
      { totals: { ...none, passed: 0, notTestable: 4 } },
      { result: 'empty', exitCode: 0, text: 'NOTHING JUDGED · 0 passed · 4 not testable' },
    ],
  ])('of a run %s', (_name, change, expected) => {
    expect(runVerdict({ ...report, ...change })).toMatchObject(expected);
  });
});

const formats: Readonly<Record<string, (report: Report) => string>> = {
  terminal: (one) => renderTerminal(one, { columns: 400 }),
  HTML: renderHtml,
  Markdown: (one) => renderMarkdown(one).replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code))),
};

describe('every format', () => {
  const failed = { ...createReport([{}]), left: [left] };
  it.each(Object.keys(formats))('of people shows the verdict first and last: %s', (name) => {
    const shown = formats[name]?.(failed) ?? '';
    expect(shown.split(runVerdict(failed).text)).toHaveLength(3);
    expect(shown).not.toContain('PASSED');
  });

  it('of programs carries it', () => {
    const { text } = runVerdict(failed);
    expect(JSON.parse(renderJson(failed))).toMatchObject({
      verdict: { text, exitCode: 1, result: 'failed' },
      causes: [],
    });
    expect(JSON.parse(renderBadge(failed))).toMatchObject({ message: '1 resource left alive', color: 'red' });
    expect(renderJunit(failed).split(text)).toHaveLength(4);
  });

  it('colours the verdict of the terminal by the exit code, and "0 passed" is not green', () => {
    const green = '\u001B[32m';
    expect(renderTerminal(createReport([{}]), { colour: true })).toContain(`${green}\u001B[1mPASSED`);
    for (const one of [failed, { ...failed, ended: 'interrupted' as const }, createReport([{ verdict: 'notRun' }])]) {
      const [, ...parts] = renderTerminal(one, { colour: true, extent: 'full' }).split(green);
      expect(parts.filter((text) => !/^ *[1-9]\d* passed/.test(text))).toEqual([]);
    }
  });
});
