import { jsonText } from '../core/safe-text.ts';
import { reportCauses } from './causes.ts';
import type { Report } from '../core/report.ts';
import { runVerdict } from './verdict.ts';

/** Renders a report as JSON, format svc-report/1, with the verdict of the run and the causes of its findings. */
export function renderJson(report: Report): string {
  const { schema, ...rest } = report;
  return jsonText({ schema, verdict: runVerdict(report), ...rest, causes: reportCauses(report) });
}
