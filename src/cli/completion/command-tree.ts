import type { Command } from 'commander';

/** A word that may follow, with what it means. */
export interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** One command of the tree, with what may follow it. */
export interface CommandPlace {
  /** The words that lead to it, for example `svc spec diff`. */
  readonly place: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Options and arguments that take one of a few values: the option, or the empty text for an argument. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

/** The commands as commander knows them, flat, each before those below it. */
export function commandTree(name: string, commands: readonly Command[]): readonly CommandPlace[] {
  const root = { place: name, commands: commands.map(wordOf), options: [], values: [] };
  return [root, ...commands.flatMap((command) => placesOf(`${name} ${command.name()}`, command))];
}

function placesOf(place: string, command: Command): readonly CommandPlace[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  const own: CommandPlace = {
    place,
    commands: command.commands.map(wordOf),
    options: options.flatMap(({ long, description }) => (long == null ? [] : [{ word: long, meaning: description }])),
    values: [
      ...options.map(({ long, argChoices }) => ({ option: long ?? '', choices: argChoices ?? [] })),
      ...command.registeredArguments.map(({ argChoices }) => ({ option: '', choices: argChoices ?? [] })),
    ].filter(({ choices }) => choices.length > 0),
  };
  return [own, ...command.commands.flatMap((below) => placesOf(`${place} ${below.name()}`, below))];
}

function wordOf(command: Command): Word {
  return { word: command.name(), meaning: command.description() };
}
