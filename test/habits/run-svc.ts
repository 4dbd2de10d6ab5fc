import type { CommanderError, Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';

/** Result of a command line that commander rejects or answers with help. */
export interface Refused {
  /** Exit code of commander. */
  readonly code: number;
  readonly text: string;
}

/**
 * Parses a command line as `svc` does, and resolves to the error message or the printed help. Rejects if the action of
 * the command succeeds, or fails with another error.
 */
export async function readRefusal(words: readonly string[]): Promise<Refused> {
  const program = await createProgram();
  let text = '';
  const take = (chunk: string): void => void (text += chunk);
  const hear = (command: Command): void => {
    command.configureOutput({ writeErr: take, writeOut: take });
    command.commands.forEach(hear);
  };
  hear(program);
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    return { code: error.exitCode, text };
  }
  throw new Error(`svc ${words.join(' ')}: it was understood`);
}

function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
}
