import { expect } from 'vitest';
import { verdictProblems } from '#conformance/testing/verdict-problems.ts';
import type { Judged } from './run-mutant.ts';

/** Asserts that a whole run against a good server finds no fault, judges most of it, and leaves nothing behind. */
export function expectNoFault({ report, failing, errors }: Judged): void {
  expect([...failing, ...errors]).toEqual([]);
  expect(report.left).toEqual([]);
  expect(verdictProblems(report)).toEqual([]);
  expect(report.totals.passed).toBeGreaterThan(80);
}
