import { mergeReports, readReportFile, runVerdict } from '#conformance/index.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, strictness, text } from './read-flags.ts';

/** Runs `svc report merge`; answers with the exit code. */
export function runMerge(files: readonly string[], flags: Flags): number {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  makeRoomForOutputs(outputs);
  const merged = mergeReports(files.map((file) => readReportFile(file)));
  const report = { ...merged, ...strictness(flags) };
  writeOutputs(report, outputs);
  return runVerdict(report).exitCode;
}
