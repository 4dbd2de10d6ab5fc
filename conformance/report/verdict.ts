import type { Report, Totals, RunEnd } from '../core/report.ts';
import { counted } from './words.ts';

/** Exit codes of a run with a report; the command `svc` exits with them. */
const exitCodes = { passed: 0, empty: 0, failed: 1, unusable: 2, incomplete: 4, fault: 5 } as const;

/**
 * Result of a whole run. `empty`: no row was judged; `failed`: a violation that is not accepted, a remaining resource
 * or another reason of exit code 1; `unusable`: the baseline names an unknown cell; `incomplete`: the run ended early
 * for a reason other than `maxFailures`, or a whole operation could not be judged; `fault`: a check ended in a fault of
 * the suite.
 */
export type RunResult = keyof typeof exitCodes;

/** The verdict of a whole run, which every format of the report shows. */
export interface RunVerdict {
  result: RunResult;
  /** Exit code of the command, derived from `result`. */
  exitCode: (typeof exitCodes)[RunResult];
  /**
   * Reasons why the run did not pass, such as "2 violations (1 contract, 1 beyond)"; empty for `passed` and `empty`.
   */
  reasons: string[];
  /** Text such as "FAILED: 2 violations (1 contract, 1 beyond) · 57 passed · 61 not testable · 133 not run". */
  text: string;
}

const titles: Readonly<Record<RunResult, string>> = {
  passed: 'PASSED',
  empty: 'NOTHING JUDGED',
  failed: 'FAILED',
  unusable: 'UNUSABLE BASELINE',
  incomplete: 'INCOMPLETE',
  fault: 'FAULT OF THE SUITE',
};

/** Judges a run as a whole: the exit code and the sentence of every format. The most severe result wins. */
export function runVerdict(report: Report): RunVerdict {
  const failures = failureReasons(report);
  const result = runResult(report, failures.length > 0);
  const reasons = [...interruptions(report), ...failures, ...blockedReasons(report)];
  const known = knownViolations(report);
  const said = result === 'passed' ? ['no violation'] : reasons;
  const title = said.length === 0 ? titles[result] : `${titles[result]}: ${said.join(', ')}`;
  const accepted = known === 0 ? [] : [`${counted(known, 'known violation')} accepted`];
  const text = [title, ...accepted, ...counts(report)].join(' · ');
  return { result, exitCode: exitCodes[result], reasons, text };
}

// Precedence: a fault of the suite, an early end, an invalid baseline, a failure, a blocked operation.
function runResult(report: Report, failed: boolean): RunResult {
  const { totals, beyond, ended, baseline } = report;
  if (totals.errors + beyond.errors > 0) return 'fault';
  if (ended !== 'complete' && ended !== 'maxFailures') return 'incomplete';
  // The cells of a row are known only after the run.
  if ((baseline?.unknownCells ?? []).length > 0) return 'unusable';
  if (failed) return 'failed';
  if (blockedReasons(report).length > 0) return 'incomplete';
  return judgedRows(totals) + judgedRows(beyond) === 0 ? 'empty' : 'passed';
}

/** Returns the reasons why whole operations could not be judged, such as "v3.createSession answered 403". */
function blockedReasons({ requirements }: Report): string[] {
  return requirements.flatMap(({ blocked, reason }) => (blocked === undefined || reason === undefined ? [] : [reason]));
}

function judgedRows({ passed, violations, warnings, notes }: Totals): number {
  return passed + violations + warnings + notes;
}

function interruptions({ totals, beyond, ended, baseline }: Report): string[] {
  const errors = totals.errors + beyond.errors;
  const cells = (baseline?.unknownCells ?? []).length;
  return [
    ...(errors === 0 ? [] : [`${counted(errors, 'check')} broke`]),
    ...(ended === 'complete' ? [] : [endings[ended]]),
    ...(cells === 0 ? [] : [`${counted(cells, 'entry', 'entries')} for an unknown cell`]),
  ];
}

/** Returns the reasons why a complete run fails; exit code 1 if the list is not empty. */
function failureReasons(report: Report): string[] {
  const { left, baseline, certify = [] } = report;
  const stale = baseline?.stale.length ?? 0;
  return [
    ...openViolations(report),
    ...(stale === 0 ? [] : [counted(stale, 'stale baseline entry', 'stale baseline entries')]),
    ...(left.length === 0 ? [] : [`${counted(left.length, 'resource')} left alive`]),
    ...certify
      .filter(({ certified }) => !certified)
      .map(({ set, passed, total }) => `${set} not certified (${passed} of ${total})`),
    ...omissions(report),
  ];
}

// The totals include accepted violations.
function openViolations(report: Report): string[] {
  const contract = report.totals.violations - knownViolations(report, 'documented');
  const beyond = report.beyond.violations - knownViolations(report, 'full');
  if (contract + beyond === 0) return [];
  const split = beyond === 0 ? '' : ` (${contract} contract, ${beyond} beyond)`;
  return [`${counted(contract + beyond, 'violation')}${split}`];
}

// Strict mode covers only the contract: rows beyond it may be unjudged.
function omissions({ strict = false, totals }: Report): string[] {
  const { notTestable, notRun } = totals;
  return strict && notTestable + notRun > 0
    ? [`${counted(notTestable + notRun, 'requirement')} not judged (--strict)`]
    : [];
}

/** Returns the number of violations whose failures are all accepted by the baseline. */
function knownViolations({ requirements }: Report, scope?: 'documented' | 'full'): number {
  return requirements.filter(
    ({ verdict, accepted, profile }) =>
      verdict === 'violation' && accepted !== undefined && (scope === undefined || profile === scope),
  ).length;
}

function counts({ totals, beyond }: Report): string[] {
  const advised = totals.warnings + totals.notes;
  return [
    `${totals.passed} passed`,
    ...(advised === 0 ? [] : [`${advised} advised`]),
    ...(totals.notTestable === 0 ? [] : [`${totals.notTestable} not testable`]),
    ...(totals.notRun === 0 ? [] : [`${totals.notRun} not run`]),
    ...(beyond.passed === 0 ? [] : [`beyond the contract ${beyond.passed} passed`]),
  ];
}

/** Texts of the verdict for an early end of the run. */
const endings: Readonly<Record<Exclude<RunEnd, 'complete'>, string>> = {
  interrupted: 'it was interrupted',
  timeLimit: 'the time limit was reached',
  costLimit: 'the cost limit was reached',
  answerLimit: 'its answers filled the memory of a run; judge it in parts with --shard or --only',
  unreachable: 'the target could no longer be reached',
  maxFailures: 'the limit of failed requirements was reached',
};
