import { accessSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SuiteError } from '#conformance/index.ts';

/** A file that is written when the work is done, and the flag that names it. */
export interface WrittenFile {
  readonly file: string;
  readonly flag: string;
}

/**
 * Makes the folder of a file and sees that it can be written, before the work begins: a run may cost money, and what it found must not be lost
 * for a path that was wrong from the beginning. Throws SuiteError `usage`.
 */
export function makeRoomFor(written: WrittenFile): void {
  const { file } = written;
  orUnwritable(written, () => {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK);
  });
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw unwritable(written, 'it is a folder');
}

/** Writes the file. Throws SuiteError `usage`. */
export function writeText(written: WrittenFile, text: string): void {
  orUnwritable(written, () => writeFileSync(written.file, text));
}

function orUnwritable(written: WrittenFile, write: () => void): void {
  try {
    write();
  } catch (error) {
    // What the operating system says, and no bug.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw unwritable(written, error.message);
  }
}

function unwritable({ file, flag }: WrittenFile, reason: string): SuiteError {
  return new SuiteError('usage', {
    found: `that ${file} cannot be written (${reason})`,
    expected: 'a file with room that this account may write',
    next: `correct the path of ${flag}`,
  });
}
