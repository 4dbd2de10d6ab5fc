import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { examplesOf } from './examples.ts';

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

/** How each command of `svc` is loaded, in the order in which help lists them. A command loads what it works with only when it runs. */
const loaders: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['check', () => import('./commands/check.ts').then((module) => module.checkCommand())],
  ['check-client', () => import('./commands/check.ts').then((module) => module.checkClientCommand())],
  ['mock', () => import('./commands/mock.ts').then((module) => module.mockCommand())],
  ['serve', () => import('./commands/serve.ts').then((module) => module.serveCommand())],
  ['spec', () => import('./commands/spec.ts').then((module) => module.specCommand())],
  ['list', () => import('./commands/suite.ts').then((module) => module.listCommand())],
  ['explain', () => import('./commands/suite.ts').then((module) => module.explainCommand())],
  ['init', () => import('./commands/suite.ts').then((module) => module.initCommand())],
  ['judge', () => import('./commands/suite.ts').then((module) => module.judgeCommand())],
  ['replay', () => import('./commands/suite.ts').then((module) => module.replayCommand())],
  ['coverage', () => import('./commands/suite.ts').then((module) => module.coverageCommand())],
  ['clean', () => import('./commands/suite.ts').then((module) => module.cleanCommand())],
  ['diff', () => import('./commands/suite.ts').then((module) => module.diffCommand())],
  ['report', () => import('./commands/suite.ts').then((module) => module.reportCommand())],
  ['doctor', () => import('./commands/tools.ts').then((module) => module.doctorCommand())],
  ['tunnel', () => import('./commands/tools.ts').then((module) => module.tunnelCommand())],
  ['admin', () => import('./commands/admin.ts').then((module) => module.adminCommand())],
  ['completion', () => import('./commands/tools.ts').then((module) => module.completionCommand(allCommands))],
]);

/** Every command, in the order of help. */
function allCommands(): Promise<Command[]> {
  return Promise.all(Array.from(loaders.values(), (load) => load()));
}

/** The command of that name alone, because all of them take longer to load than most take to work; all for any other word, as help and wrong usage need them. */
export async function loadCommands(name: string | undefined): Promise<Command[]> {
  const named = name === undefined ? undefined : loaders.get(name);
  return named === undefined ? allCommands() : [await named()];
}
