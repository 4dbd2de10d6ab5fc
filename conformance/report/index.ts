export { renderBadge } from './badge.ts';
export { type Cause, reportCauses } from './causes.ts';
export {
  type Change,
  type ReportDifference,
  type RowDifference,
  type RowState,
  diffReports,
} from './diff-reports.ts';
export { renderDiff } from './diff-reports.ts';
export { renderJunit } from './junit.ts';
export { renderJson } from './json.ts';
export { renderMarkdown } from './markdown.ts';
export { mergeReports } from './merge-reports.ts';
export { readReport, readReportFile, reportUse } from '../runner/read-report.ts';
export { renderPlan, renderEstimate } from './estimate-text.ts';
export type {
  Certificate,
  Failure,
  JudgedCell,
  Report,
  ReportRow,
  ReportShard,
  RunEnd,
  Totals,
  Verdict,
  LeftEntry,
} from '../core/report.ts';
export { type TerminalOptions, renderTerminal } from './terminal.ts';
export { leftText } from './words.ts';
export { type RunResult, type RunVerdict, runVerdict } from './verdict.ts';
