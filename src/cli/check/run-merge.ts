import { mergeReports, readReport } from '#conformance/index.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { exitForError } from './exit-for-error.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, readText, text } from './read-flags.ts';

/** Runs `svc report merge`; answers with the exit code. */
export function runMerge(files: readonly string[], flags: Flags): number {
  try {
    const outputs = readOutputs(text(flags, 'report') ?? 'terminal');
    makeRoomForOutputs(outputs);
    const report = mergeReports(files.map((file) => readReport(readText(file), file)));
    writeOutputs(report, outputs);
    return exitCodeOf(report, flags['strict'] === true);
  } catch (error) {
    return exitForError(error);
  }
}
