import { readReport } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitForError } from './exit-for-error.ts';
import { makeRoomForOutputs, readOutputs, writeOutputs } from './outputs.ts';
import { type Flags, readText, text } from './read-flags.ts';

/** Runs `svc report show`; answers with the exit code, which says nothing of the verdicts. */
export function runShow(file: string, flags: Flags): number {
  try {
    const outputs = readOutputs(text(flags, 'report') ?? 'terminal', flags['details'] === true);
    makeRoomForOutputs(outputs);
    writeOutputs(readReport(readText(file), file), outputs);
    return exitCodes.ok;
  } catch (error) {
    return exitForError(error);
  }
}
