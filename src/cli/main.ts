#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it has to run before anything else is loaded
import './require-node.mjs';
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { cacheFolder } from '#backend/browsers/bundled/cache-folder.ts';
import { exitCodes } from './exit-codes.ts';

/** Builds the `svc` command with every subcommand; a subcommand loads what it needs only when it runs. */
async function program(): Promise<Command> {
  const commands = await Promise.all([
    import('./commands/check.ts').then((module) => module.checkCommand()),
    import('./commands/mock.ts').then((module) => module.mockCommand()),
    import('./commands/serve.ts').then((module) => module.serveCommand()),
    import('./commands/spec.ts').then((module) => module.specCommand()),
    import('./commands/list.ts').then((module) => module.listCommand()),
    import('./commands/explain.ts').then((module) => module.explainCommand()),
    import('./commands/init.ts').then((module) => module.initCommand()),
    import('./commands/judge.ts').then((module) => module.judgeCommand()),
    import('./commands/replay.ts').then((module) => module.replayCommand()),
    import('./commands/coverage.ts').then((module) => module.coverageCommand()),
    import('./commands/clean.ts').then((module) => module.cleanCommand()),
    import('./commands/diff.ts').then((module) => module.diffCommand()),
    import('./commands/report.ts').then((module) => module.reportCommand()),
    import('./commands/doctor.ts').then((module) => module.doctorCommand()),
    import('./commands/tunnel.ts').then((module) => module.tunnelCommand()),
    import('./commands/admin.ts').then((module) => module.adminCommand()),
  ]);
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
  await (await program()).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
