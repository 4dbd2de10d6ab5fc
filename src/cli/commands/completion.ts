import { Argument, Command } from 'commander';
import { commandTree } from '../completion/command-tree.ts';
import { type Shell, shellScript, shells } from '../completion/shell-scripts.ts';

/** `svc completion`: a script that lets a shell complete the words behind `svc`. */
export function completionCommand(allCommands: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('Print a script that lets a shell complete commands, options and values with the tab key.')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(shells))
    .action(async (shell: Shell) => {
      process.stdout.write(shellScript(shell, commandTree('svc', await allCommands())));
    });
}
