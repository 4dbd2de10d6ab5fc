import { diffReports, readReportFile, renderDiff } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { terminalStyle } from './outputs.ts';
import { print } from '../print.ts';

/** Runs `svc diff`; answers with the exit code. */
export function runDiffReports(before: string, after: string, isJson: boolean): number {
  const difference = diffReports(readReportFile(before), readReportFile(after));
  const text = isJson ? `${JSON.stringify(difference, null, 2)}\n` : renderDiff(difference, terminalStyle());
  print(text);
  return difference.worse ? exitCodes.violation : exitCodes.ok;
}
