import { type Command, CommanderError } from 'commander';
import { SuiteError, type SuiteErrorCode } from '#conformance/core/suite-error.ts';
import { exitCodes } from './process-end.ts';
import { printError } from './print.ts';
import { createProgram } from './program.ts';

/** Result of a command line. */
export interface ProgramEnd {
  readonly code: number;
  /** Whether an error ended the command, so that it may have left resources open. */
  readonly hasFailed: boolean;
}

/** Runs a command line, and prints the errors of all commands in one form. */
export async function runProgram(words: readonly string[]): Promise<ProgramEnd> {
  const program = await createProgram(words);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return { code: Number(process.exitCode ?? exitCodes.ok), hasFailed: false };
  } catch (error) {
    if (error instanceof CommanderError)
      return { code: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, hasFailed: false };
    return { code: exitForError(error, commandPath(program, words)), hasFailed: true };
  }
}

/**
 * Returns the full name of the command that the words name, such as `svc report merge`; `svc` if the first word names
 * no command.
 */
function commandPath(program: Command, words: readonly string[]): string {
  const [word = '', ...others] = words;
  const named = program.commands.find((command) => command.name() === word);
  return named === undefined ? program.name() : `${program.name()} ${commandPath(named, others)}`;
}

/** An error that the user can correct. The text says what was found, what was expected, and the next step. */
interface Fault {
  readonly text: string;
  readonly code: number;
}

const codes: Record<SuiteErrorCode, number> = {
  usage: exitCodes.usage,
  unreachable: exitCodes.unreachable,
  unauthenticated: exitCodes.unreachable,
};

/** Operating system error codes that concern a file or folder named by the user. */
const pathCodes = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENAMETOOLONG',
  'ELOOP',
]);

/**
 * Prints the error that ended a command, and returns the exit code. `command` is the name of the command, such as `svc
 * admin key`. An error of the user is one line without stack; any other error is a bug and printed with its stack.
 */
function exitForError(error: unknown, command: string): number {
  const fault = toFault(error);
  if (fault !== null) {
    printError(`${command}: ${fault.text}\n`);
    return fault.code;
  }
  printError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodes.internal;
}

function toFault(error: unknown): Fault | null {
  if (!(error instanceof Error)) return null;
  const { message } = error;
  if (error instanceof SuiteError) return { text: message.replace(/^Found/, 'found'), code: codes[error.code] };
  const code = exitCodes.usage;
  // The message ends with a command, which is copied more easily without a full stop.
  if (error.name === 'MissingPackage') return { text: message, code };
  const path = pathFault(error);
  if (path !== null) return { text: path, code };
  if ('syscall' in error && error.syscall === 'listen')
    return { text: `${message}. Choose another --host or --port; --port 0 takes a free one.`, code };
  return message.startsWith('found ') ? { text: message.replace(/\.?$/, '.'), code } : null;
}

function pathFault(error: Error): string | null {
  if (!('code' in error) || !('path' in error)) return null;
  const { code, path } = error;
  if (typeof code !== 'string' || typeof path !== 'string' || !pathCodes.has(code)) return null;
  const [reason] = error.message.split(', ');
  return `found ${path}, which cannot be used (${reason}), expected a place with room that this account may write to: name another one, or let the account in.`;
}
