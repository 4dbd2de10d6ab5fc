import { type Command, CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { exitForError } from './exit-for-error.ts';
import { createProgram } from './program.ts';

/** How a command line ended. */
export interface ProgramEnd {
  readonly code: number;
  /** Whether an error ended the command, so that something of it may still be open. */
  readonly hasFailed: boolean;
}

/** Runs the words of a command line. Every error of every command is printed here, in one form. */
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

/** The command that words name, such as `svc report merge`. */
function commandPath(program: Command, words: readonly string[]): string {
  const [word = '', ...others] = words;
  const named = program.commands.find((command) => command.name() === word);
  return named === undefined ? program.name() : `${program.name()} ${commandPath(named, others)}`;
}
