import { mergeReports, readReport, runVerdict } from '#conformance/index.ts';
import { exitForError } from './exit-for-error.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, readText, strictness, text } from './read-flags.ts';

/** Runs `svc report merge`; answers with the exit code. */
export function runMerge(files: readonly string[], flags: Flags): number {
  try {
    const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
    makeRoomForOutputs(outputs);
    const merged = mergeReports(files.map((file) => readReport(readText(file), file)));
    const report = { ...merged, ...strictness(flags) };
    writeOutputs(report, outputs);
    return runVerdict(report).exitCode;
  } catch (error) {
    return exitForError(error);
  }
}
