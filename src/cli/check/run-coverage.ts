import {
  notExercised,
  parseJsonFile,
  readCoverage,
  readTextFile,
  renderCoverage,
  reportUse,
} from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Flags } from './read-flags.ts';
import { print } from '../print.ts';

/** Runs `svc coverage`; answers with the exit code. */
export function runCoverage(file: string, flags: Flags): number {
  const coverage = readCoverage(parseJsonFile(readTextFile(file, reportUse), { ...reportUse, name: file }), file);
  const text = flags['json'] === true ? `${JSON.stringify(coverage, null, 2)}\n` : renderCoverage(coverage);
  print(text);
  return flags['strict'] === true && notExercised(coverage).length > 0 ? exitCodes.violation : exitCodes.ok;
}
