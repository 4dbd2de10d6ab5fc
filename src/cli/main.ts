#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it has to run before anything else is loaded
import './require-node.mjs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { cacheFolder } from '#backend/browsers/bundled/cache-folder.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

try {
  // Compiled code of an earlier start halves the time of this one; a folder that cannot be written is no reason to stop.
  enableCompileCache(join(cacheFolder(process.env), 'compiled'));
  await (await createProgram(process.argv.slice(2))).parseAsync();
} catch (error) {
  // By its name: the table that its sentence comes from is not loaded for every command.
  if (error instanceof Error && error.name === 'MissingPackage') console.error(`svc: ${error.message}`);
  else if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
