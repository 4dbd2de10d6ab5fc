/**
 * The conformance suite: judges a deployment from outside, over HTTP, by the documents and tables of `generated/`.
 *
 * The command line and users of the library call `run`. The other exports read target files, baselines and reports.
 * The suite never imports `src`, never writes to stdout and never exits the process.
 * Begin with `runner/run.ts`; the checks are in `areas/`.
 */
export type { Baseline, BaselineEntry } from './report/baseline/baseline.ts';
export { type BaselineUpdate, applyBaseline, renderBaseline, updateBaseline } from './report/baseline/baseline.ts';
export { baselineUse, isPlaceholder, readBaseline } from './report/baseline/baseline.ts';
export { type CleanOptions, type Cleaned, clean, readEntries } from './runner/clean.ts';
export {
  type Exchange,
  type Generation,
  type LedgerEntry,
  type ReplayToken,
  type SpendLevel,
  SuiteError,
  type SuiteErrorCode,
  type SuiteErrorText,
  type Target,
  type TargetSource,
  defaultTarget,
  generations,
  parseJson,
  parseTarget,
  readReplayToken,
  spendLevels,
  targetDigest,
  targetTemplate,
  targetUse,
} from './core/index.ts';
export { type JudgeRecordingOptions, judgeRecording } from './runner/judge-recording.ts';
export { type RunEnvironment, createRunEnvironment } from './transport/run-environment.ts';
export { type Recording, recordingUse, renderHar } from './recording/index.ts';
export { readCoverage, renderCoverage } from './report/coverage-text.ts';
export { type OperationCoverage, type Share, notExercised } from './core/coverage.ts';
export type { RunOptions, Progress, ProgressCounts, ProgressListener, Shard } from './runner/settings.ts';
export { type Profile, profiles } from './core/spend.ts';
export { type ListedRequirement, explain, listRequirements } from './runner/explain.ts';
export {
  type Certificate,
  type Failure,
  type JudgedCell,
  type Report,
  type ReportRow,
  type RunEnd,
  type TerminalOptions,
  type Totals,
  type Verdict,
  renderBadge,
  type Change,
  type ReportDifference,
  type ReportShard,
  type RowDifference,
  type RowState,
  diffReports,
  mergeReports,
  readReport,
  readReportFile,
  reportUse,
  renderDiff,
  renderJunit,
  renderMarkdown,
  leftText,
  renderEstimate,
  renderPlan,
  type Cause,
  type RunResult,
  type RunVerdict,
  renderJson,
  reportCauses,
  renderTerminal,
  runVerdict,
} from './report/index.ts';
export { renderHtml } from './report/html/render-html.ts';
export { type CheckCase, type CheckSuite, type ChecksOptions, checks } from './runner/library.ts';
export { type Route, createRoute } from './transport/network/route.ts';
export { BoundedBytes, measureJson, suiteLimit } from './core/bounds.ts';
export { isLocalTarget } from './core/target.ts';
export { connectionAdvice } from './transport/fault-text.ts';
export { parseJsonFile, readTextFile } from './core/data-file.ts';
export { jsonText, safeText } from './core/safe-text.ts';
export { userAgent } from './transport/node-http.ts';
export { planOf, run } from './runner/run.ts';
export {
  type CheckClientOptions,
  type ListedClientRule,
  type Observation,
  type ObserveOptions,
  type OpenService,
  type ServiceUnderClient,
  checkClient,
  explainClientRules,
  listClientRules,
  observeClient,
  readClientToken,
} from './clients/index.ts';
