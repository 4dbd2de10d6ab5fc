import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { examplesOf } from './examples.ts';
import { loadCommands } from './load-commands.ts';

/** Builds the `svc` command with what the words that follow it name; without words with every command. */
export async function createProgram([name]: readonly string[] = []): Promise<Command> {
  const commands = await loadCommands(name);
  const root = new Command('svc')
    .description('Contract and conformance toolkit: check a deployment, mock the interface, serve the reference.')
    .version(packageVersion());
  for (const command of commands) root.addCommand(command);
  return withManners(root, 'svc');
}

/**
 * What every command has at every depth, since none inherits it from the one that it is added to: wrong usage ends with one exit
 * code and names where to look, and the help ends with what to type.
 */
function withManners(command: Command, path: string): Command {
  for (const below of command.commands) withManners(below, `${path} ${below.name()}`);
  const examples = examplesOf(path);
  if (examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  return command
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${path}: `)) })
    .showHelpAfterError(`(${path} --help says what it takes)`);
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
