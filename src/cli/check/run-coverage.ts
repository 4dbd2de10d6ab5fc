import { notExercised, parseJson, readCoverage, renderCoverage } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { exitForError } from './exit-for-error.ts';
import { type Flags, readText } from './read-flags.ts';
import { print } from '../print.ts';

/** Runs `svc coverage`; answers with the exit code. */
export function runCoverage(file: string, flags: Flags): number {
  try {
    const coverage = readCoverage(parseJson(readText(file)));
    const text = flags['json'] === true ? `${JSON.stringify(coverage, null, 2)}\n` : renderCoverage(coverage);
    print(text);
    return flags['strict'] === true && notExercised(coverage).length > 0 ? exitCodes.violation : exitCodes.ok;
  } catch (error) {
    return exitForError(error);
  }
}
