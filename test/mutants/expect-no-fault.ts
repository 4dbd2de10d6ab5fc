import { expect } from 'vitest';
import { reportInconsistencies } from '#conformance/testing/verdict-problems.ts';
import type { Judged } from './run-mutant.ts';

/**
 * Asserts that a complete run against a conforming server finds no fault, passes most of the requirements, and leaves
 * no resource.
 */
export function expectNoFault({ report, failing, errors }: Judged): void {
  expect([...failing, ...errors]).toEqual([]);
  expect(report.left).toEqual([]);
  expect(reportInconsistencies(report)).toEqual([]);
  expect(report.totals.passed).toBeGreaterThan(80);
}
