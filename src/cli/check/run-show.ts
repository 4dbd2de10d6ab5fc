import { readReportFile } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, text } from './read-flags.ts';

/** Runs `svc report show`; answers with the exit code, which says nothing of the verdicts. */
export function runShow(file: string, flags: Flags): number {
  const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
  makeRoomForOutputs(outputs);
  writeOutputs(readReportFile(file), outputs);
  return exitCodes.ok;
}
