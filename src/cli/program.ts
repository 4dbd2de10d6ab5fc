import { Command, Help } from 'commander';
import { packageVersion } from '#lib/package-version.ts';
import { findExamples } from './examples.ts';

/**
 * Creates the `svc` command. Adds only the subcommand that the first word names; if the word names none, adds all
 * subcommands.
 */
export async function createProgram([name]: readonly string[] = []): Promise<Command> {
  const commands = await loadCommands(name);
  const root = new Command('svc')
    .description('Judge a deployment by the contract, mock the API, or run the reference service.')
    .version(packageVersion());
  for (const command of commands) root.addCommand(command);
  return configureCommand(root, 'svc');
}

/**
 * Configures a command and its subcommands: wrong usage throws an error and names the help, and the help ends with
 * examples. Each subcommand is configured too, because `addCommand` passes no settings on.
 */
function configureCommand(command: Command, path: string): Command {
  for (const below of command.commands) configureCommand(below, `${path} ${below.name()}`);
  const examples = findExamples(path);
  if (examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  return command
    .exitOverride()
    .configureHelp({ subcommandTerm: (below) => shortTerm(below) })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${path}: `)) })
    .showHelpAfterError(`(see ${path} --help)`);
}

/** Returns the name and arguments of a command, so that a list of commands fits a terminal of 80 columns. */
function shortTerm(command: Command): string {
  return new Help().subcommandTerm(command).replace(' [options]', '');
}

/** Loaders of the commands of `svc`, in the order of the help. A command loads its implementation only when it runs. */
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

/** Loads all commands, in the order of the help. */
function allCommands(): Promise<Command[]> {
  return Promise.all(Array.from(loaders.values(), (load) => load()));
}

/**
 * Loads the command with a name. Without a name, or for an unknown name, loads all commands, which help and messages of
 * wrong usage list. Loading all commands takes longer than most commands run.
 */
export async function loadCommands(name: string | undefined): Promise<Command[]> {
  const named = name === undefined ? undefined : loaders.get(name);
  return named === undefined ? allCommands() : [await named()];
}
