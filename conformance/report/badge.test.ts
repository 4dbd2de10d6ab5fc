import { describe, expect, it } from 'vitest';
import { reportOf } from '../testing/report-of.ts';
import { renderBadge } from './badge.ts';
import type { Report } from './report.ts';

const known = { reason: 'gateway 1 rounds costs', expires: '2027-01-31' };
const set = { frozen: '2026-11-20', passed: 1, total: 1, missing: [], excluded: [], advised: [] };
const passed = { ...reportOf([]).totals, passed: 2 };

const cases: { name: string; report: Report; want: object }[] = [
  {
    name: 'a run without a violation',
    report: { ...reportOf([{}, {}, { verdict: 'notRun' }, { profile: 'full' }]), totals: passed },
    want: { message: 'no violation in 2 of 3', color: 'brightgreen' },
  },
  {
    name: 'violations, of the contract and beyond it',
    report: reportOf([{ verdict: 'violation' }, { verdict: 'violation', profile: 'full' }, { verdict: 'warning' }]),
    want: { message: '2 violated', color: 'red' },
  },
  {
    name: 'a violation that is known',
    report: { ...reportOf([{}, {}, { verdict: 'violation', accepted: known }]), totals: passed },
    want: { message: 'no violation in 2 of 3', color: 'brightgreen' },
  },
  {
    name: 'a run that was interrupted, whatever it found',
    report: { ...reportOf([{ verdict: 'violation' }]), ended: 'interrupted' },
    want: { message: 'not judged to the end', color: 'lightgrey' },
  },
  {
    name: 'a fault of the suite',
    report: { ...reportOf([]), beyond: { ...passed, errors: 1 } },
    want: { message: 'fault of the suite', color: 'lightgrey' },
  },
  {
    name: 'a certificate',
    report: {
      ...reportOf([]),
      certify: [
        { ...set, set: 'v2', certified: true },
        { ...set, set: 'v3', certified: true },
      ],
    },
    want: { message: 'certified v2, v3', color: 'brightgreen' },
  },
  {
    name: 'a certificate that was not given',
    report: {
      ...reportOf([]),
      certify: [
        { ...set, set: 'v2', certified: true },
        { ...set, set: 'v4', certified: false },
      ],
    },
    want: { message: 'v4 not certified', color: 'red' },
  },
];

describe('a badge', () => {
  it.each(cases)('says of $name what a badge server shows', ({ report, want }) => {
    expect(JSON.parse(renderBadge(report))).toEqual({ schemaVersion: 1, label: 'contract', ...want });
  });
});
