import type { Command } from 'commander';

/** A command with its full name, such as `svc admin key list`. */
export interface NamedCommand {
  readonly path: string;
  readonly command: Command;
}

/** Returns every command of a tree that has no subcommands. */
export function listCommands(root: Command, path: string = root.name()): NamedCommand[] {
  if (root.commands.length === 0) return [{ path, command: root }];
  return root.commands.flatMap((below) => listCommands(below, `${path} ${below.name()}`));
}
