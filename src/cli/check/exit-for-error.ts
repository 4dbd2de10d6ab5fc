import { SuiteError, type SuiteErrorCode } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { printError } from '../print.ts';

const codes: Record<SuiteErrorCode, number> = {
  usage: exitCodes.usage,
  unreachable: exitCodes.unreachable,
  unauthenticated: exitCodes.unreachable,
};

/** Prints an error of the suite and gives its exit code; anything unexpected prints its stack and is internal. */
export function exitForError(error: unknown): number {
  if (error instanceof SuiteError) {
    printError(`${error.message}\n`);
    return codes[error.code];
  }
  printError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodes.internal;
}
