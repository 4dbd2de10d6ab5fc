import { describe, expect, it } from 'vitest';
import type { Report, Totals } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitCodeOf } from './exit-code-of.ts';

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
    ['of a fault of the suite is 5', { beyond: { ...none, errors: 1 } }, { code: exitCodes.internal }],
  ])('%s', (_name, change, { strict = false, code }) => {
    expect(exitCodeOf({ ...report, ...change }, strict)).toBe(code);
  });
});
