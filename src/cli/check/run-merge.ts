import { mergeReports, readReportFile } from '#conformance/index.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, text } from './read-flags.ts';

/** Runs `svc report merge`; answers with the exit code. */
export function runMerge(files: readonly string[], flags: Flags): number {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal');
  makeRoomForOutputs(outputs);
  const report = mergeReports(files.map((file) => readReportFile(file)));
  writeOutputs(report, outputs);
  return exitCodeOf(report, flags['strict'] === true);
}
