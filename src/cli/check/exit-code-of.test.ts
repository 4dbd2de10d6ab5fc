import { describe, expect, it } from 'vitest';
import type { Certificate, Report, ReportRow, Totals } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitCodeOf } from './exit-code-of.ts';

const entry = { name: 'AUTH-01', why: 'it passes now' };
const baseline = { file: 'known.yaml', accepted: [], stale: [], expired: [], notJudged: [], unknownCells: [] };
const known: ReportRow = {
  id: 'AUTH-01',
  area: 'authentication',
  level: 'MUST',
  text: '',
  source: '',
  profile: 'documented',
  verdict: 'violation',
  cells: { total: 1, judged: 1, failed: 1 },
  failures: [],
  accepted: { reason: 'known', expires: '2027-01-01' },
};
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
const report: Report = {
  schema: 'svc-report/1',
  target: { url: 'http://127.0.0.1:1', profile: 'full', spend: 'none' },
  seed: 1,
  startedAt: '2026-11-21T00:00:00Z',
  durationMs: 1,
  ended: 'complete',
  totals: none,
  beyond: none,
  requirements: [],
  coverage: [],
  exchanges: [],
  exchangeCount: 0,
  created: [],
  left: [],
  spentUsd: '0',
};

describe('the exit code', () => {
  it.each<[string, Partial<Report>, { strict?: boolean; code: number }]>([
    ['of a run without violations is 0', {}, { strict: true, code: exitCodes.ok }],
    ['of a violation is 1', { totals: { ...none, violations: 1 } }, { code: exitCodes.violation }],
    ['of a violation beyond the contract is 1', { beyond: { ...none, violations: 1 } }, { code: exitCodes.violation }],
    [
      'of a row not run is 1 with --strict',
      { totals: { ...none, notRun: 1 } },
      { strict: true, code: exitCodes.violation },
    ],
    [
      'ignores what was left out beyond the contract',
      { beyond: { ...none, notRun: 1 } },
      { strict: true, code: exitCodes.ok },
    ],
    [
      'of a violation that is known is 0',
      { totals: { ...none, violations: 1 }, requirements: [known], baseline },
      { strict: true, code: exitCodes.ok },
    ],
    [
      'of one that is known beside one that is not is 1',
      { totals: { ...none, violations: 2 }, requirements: [known], baseline },
      { code: exitCodes.violation },
    ],
    ['of a stale entry is 1', { baseline: { ...baseline, stale: [entry] } }, { code: exitCodes.violation }],
    [
      'of a cell that nobody knows is 2',
      { baseline: { ...baseline, unknownCells: [entry] } },
      { code: exitCodes.usage },
    ],
    ['ignores entries that were not judged', { baseline: { ...baseline, notJudged: [entry] } }, { code: exitCodes.ok }],
    ['of a set that was not shown is 1', { certify: [certificate] }, { code: exitCodes.violation }],
    ['of a set that was shown is 0', { certify: [{ ...certificate, certified: true }] }, { code: exitCodes.ok }],
    ['of a fault of the suite is 5', { beyond: { ...none, errors: 1 } }, { code: exitCodes.internal }],
  ])('%s', (_name, change, { strict = false, code }) => {
    expect(exitCodeOf({ ...report, ...change }, strict)).toBe(code);
  });
});
