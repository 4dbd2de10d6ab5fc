import { diffReports, readReport, renderDiff } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitForError } from './exit-for-error.ts';
import { terminalStyle } from './outputs.ts';
import { readText } from './read-flags.ts';
import { print } from '../print.ts';

/** Runs `svc diff`; answers with the exit code. */
export function runDiffReports(before: string, after: string, isJson: boolean): number {
  try {
    const difference = diffReports(readReport(readText(before), before), readReport(readText(after), after));
    const text = isJson ? `${JSON.stringify(difference, null, 2)}\n` : renderDiff(difference, terminalStyle());
    print(text);
    return difference.worse ? exitCodes.violation : exitCodes.ok;
  } catch (error) {
    return exitForError(error);
  }
}
