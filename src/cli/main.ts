#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it has to run before anything else is loaded
import './require-node.mjs';
// oxlint-disable-next-line import/no-unassigned-import -- for whoever starts this file itself; bin/svc.mjs has done so before
import './keep-compiled.mjs';
import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { outliveReaders } from './outlive-readers.ts';
import { createProgram } from './program.ts';

outliveReaders(process.stdout, 1);
outliveReaders(process.stderr, 2);
try {
  await (await createProgram(process.argv.slice(2))).parseAsync();
} catch (error) {
  // By its name: the table that its sentence comes from is not loaded for every command.
  if (error instanceof Error && error.name === 'MissingPackage') console.error(`svc: ${error.message}`);
  else if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
