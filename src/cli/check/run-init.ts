import { writeFileSync } from 'node:fs';
import { SuiteError, targetTemplate } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { print } from '../print.ts';

/** Runs `svc init`; answers with the exit code. */
export function runInit(file: string, force: boolean): number {
  writeNew(file, force);
  print(`wrote ${file}; use it with \`svc check <url> --target ${file}\`\n`);
  return exitCodes.ok;
}

function writeNew(file: string, force: boolean): void {
  try {
    writeFileSync(file, targetTemplate, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const exists = error.code === 'EEXIST';
    throw new SuiteError('usage', {
      found: exists ? `that ${file} exists` : `that ${file} cannot be written (${String(error.code)})`,
      expected: 'a new file',
      next: exists ? 'name another file or pass --force' : 'correct the path',
    });
  }
}
