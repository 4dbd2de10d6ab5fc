import { describe, expect, it } from 'vitest';
import { createReport } from '../testing/create-report.ts';
import { renderBadge } from './badge.ts';
import type { Report } from '../core/report.ts';

const known = { reason: 'gateway 1 rounds costs', expires: '2027-01-31' };
const set = { frozen: '2026-11-20', passed: 1, total: 1, missing: [], excluded: [], advised: [] };

const cases: { name: string; report: Report; want: object }[] = [
  {
    name: 'a run without a violation',
    report: createReport([{}, {}, { verdict: 'notRun' }, { profile: 'full' }]),
    want: { message: 'no violation in 2 of 3', color: 'brightgreen' },
  },
  {
    name: 'violations, of the contract and beyond it',
    report: createReport([{ verdict: 'violation' }, { verdict: 'violation', profile: 'full' }, { verdict: 'warning' }]),
    want: { message: '2 violations (1 contract, 1 beyond)', color: 'red' },
  },
  {
    name: 'a violation that is known',
    report: createReport([{}, {}, { verdict: 'violation', accepted: known }]),
    want: { message: 'no violation in 2 of 3', color: 'brightgreen' },
  },
  {
    name: 'a run that was interrupted, whatever it found',
    report: { ...createReport([{ verdict: 'violation' }]), ended: 'interrupted' },
    want: { message: 'it was interrupted, 1 violation', color: 'lightgrey' },
  },
  {
    name: 'a fault of the suite',
    report: { ...createReport([]), beyond: { ...createReport([]).beyond, errors: 1 } },
    want: { message: '1 check broke', color: 'lightgrey' },
  },
  {
    name: 'a run that judged nothing',
    report: createReport([{ verdict: 'notRun' }]),
    want: { message: 'nothing judged', color: 'lightgrey' },
  },
  {
    name: 'a certificate',
    report: {
      ...createReport([{}]),
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
      ...createReport([]),
      certify: [
        { ...set, set: 'v2', certified: true },
        { ...set, set: 'v4', certified: false },
      ],
    },
    want: { message: 'v4 not certified (1 of 1)', color: 'red' },
  },
];

describe('a badge', () => {
  it.each(cases)('says of $name what a badge server shows', ({ report, want }) => {
    expect(JSON.parse(renderBadge(report))).toEqual({ schemaVersion: 1, label: 'contract', ...want });
  });
});
