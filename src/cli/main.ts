#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it has to run before anything else is loaded
import './require-node.mjs';
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { cacheFolder } from '#backend/browsers/bundled/cache-folder.ts';
import { exitCodes } from './exit-codes.ts';
import { loadCommands } from './load-commands.ts';

/** Builds the `svc` command with what the words name. */
async function program([name]: readonly string[]): Promise<Command> {
  const commands = await loadCommands(name);
  const root = new Command('svc')
    .description('Contract and conformance toolkit: check a deployment, mock the interface, serve the reference.')
    .version(packageVersion())
    .showHelpAfterError()
    .exitOverride();
  for (const command of commands) root.addCommand(withOwnEnd(command));
  return root;
}

/** Wrong usage ends with one exit code at every depth: a command does not inherit this from the one that it is added to. */
function withOwnEnd(command: Command): Command {
  for (const below of command.commands) withOwnEnd(below);
  return command.exitOverride();
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

try {
  // Compiled code of an earlier start halves the time of this one; a folder that cannot be written is no reason to stop.
  enableCompileCache(join(cacheFolder(process.env), 'compiled'));
  await (await program(process.argv.slice(2))).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
