/**
 * The conformance suite: judges a deployment from outside, over HTTP, by what generated/ states. `run` is the only door;
 * the command line and library users call it. It never imports src, never writes to stdout and never exits the process.
 */
export { clean, readEntries, type CleanOptions } from './clean.ts';
export { parseJson } from './harness/json.ts';
export type { LedgerEntry } from './harness/ledger.ts';
export { readReplayToken, type ReplayToken } from './harness/replay-token.ts';
export { type SpendLevel, spendLevels } from './harness/spend.ts';
export { SuiteError, type SuiteErrorCode } from './harness/suite-error.ts';
export { defaultTarget } from './harness/target/default-target.ts';
export { parseTarget, type TargetSource } from './harness/target/parse-target.ts';
export { targetTemplate } from './harness/target/target-template.ts';
export type { Target } from './harness/target/target.ts';
export type { RunOptions } from './options.ts';
export { explain, listRequirements, type ListedRequirement } from './registry/explain.ts';
export { renderPlan } from './report/plan-text.ts';
export type { Failure, Report, ReportRow, RunEnd, Verdict } from './report/report.ts';
export { renderTerminal, type TerminalOptions } from './report/terminal.ts';
export { planOf, run } from './run.ts';
