import type { Command } from 'commander';

/** Supported shells. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** A supported shell. */
export type Shell = (typeof shells)[number];

/**
 * Returns the completion script of a shell. The script completes the commands and options of `svc`, and the fixed
 * values of options and arguments. If none of these matches, it completes file names.
 */
export function shellScript(shell: Shell, tree: readonly CommandPlace[]): string {
  return scripts[shell](tree);
}

const scripts: Readonly<Record<Shell, (tree: readonly CommandPlace[]) => string>> = {
  bash: (tree) => `_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place=svc word found=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${deeper(tree)}
  done
${choice(tree, (words) => `found='${words}'`)}
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _svc svc
`,
  zsh: (tree) => `#compdef svc
_svc() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" place=svc word found=
  for word in "\${(@)words[2,CURRENT-1]}"; do
${deeper(tree)}
  done
${choice(tree, (words) => `found='${words}'`)}
  compadd -- \${=found} || _files
}
compdef _svc svc
`,
  fish: (tree) => `function __svc_at
  set -l place svc
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${tree
        .slice(1)
        .map(({ place }) => `'${place}'`)
        .join(' ')}
        set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
${tree.flatMap(fishLines).join('\n')}
`,
};

/** Returns shell code that appends the current word to the name of the command if the word names a subcommand. */
function deeper(tree: readonly CommandPlace[]): string {
  const places = tree.slice(1).map(({ place }) => `'${place}'`);
  return `    case "$place $word" in ${places.join('|')}) place="$place $word" ;; esac`;
}

/**
 * Returns shell code that selects the completions: the fixed values of the preceding option, otherwise the words that
 * may follow the command. `take` returns the shell code that uses the completions.
 */
function choice(tree: readonly CommandPlace[], take: (words: string) => string): string {
  const values = tree.flatMap(({ place, values: all }) =>
    all
      .filter(({ option }) => option !== '')
      .map(({ option, choices }) => `    '${place} ${option}') ${take(choices.join(' '))} ;;`),
  );
  const words = tree.map((one) => `      '${one.place}') ${take(followers(one).join(' '))} ;;`);
  return ['  case "$place $previous" in', ...values, '    *) case "$place" in', ...words, '    esac ;;', '  esac'].join(
    '\n',
  );
}

function followers({ commands, options, values }: CommandPlace): readonly string[] {
  const given = values.filter(({ option }) => option === '').flatMap(({ choices }) => choices);
  return [...commands.map(({ word }) => word), ...given, ...options.map(({ word }) => word)];
}

function fishLines({ place, commands, options, values }: CommandPlace): readonly string[] {
  const at = `complete -c svc -n '__svc_at "${place}"'`;
  const listChoices = (option: string): string => {
    const choices = values.find((one) => one.option === option)?.choices;
    return choices === undefined ? '' : ` -x -a '${choices.join(' ')}'`;
  };
  const given = listChoices('');
  return [
    ...commands.map(({ word, meaning }) => `${at} -f -a ${word} -d ${quoted(meaning)}`),
    ...(given === '' ? [] : [`${at} -f${given.replace(' -x', '')}`]),
    ...options.map(({ word, meaning }) => `${at} -l ${word.slice(2)} -d ${quoted(meaning)}${listChoices(word)}`),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A completion word with its description. */
export interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** A command with the words that may follow it. */
export interface CommandPlace {
  /** The words of the command, for example `svc spec diff`. */
  readonly place: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Fixed values of options and arguments. `option` is the name of the option, or '' for an argument. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

/** Returns the program `name` and all its commands as a flat list, each command before its subcommands. */
export function commandTree(name: string, commands: readonly Command[]): readonly CommandPlace[] {
  const root = { place: name, commands: commands.map(describeCommand), options: [], values: [] };
  return [root, ...commands.flatMap((command) => listPlaces(`${name} ${command.name()}`, command))];
}

function listPlaces(place: string, command: Command): readonly CommandPlace[] {
  const options = command.options.filter(({ hidden }) => !hidden);
  const commandPlace: CommandPlace = {
    place,
    commands: command.commands.map(describeCommand),
    options: options.flatMap(({ long, description }) => (long == null ? [] : [{ word: long, meaning: description }])),
    values: [
      ...options.map(({ long, argChoices }) => ({ option: long ?? '', choices: argChoices ?? [] })),
      ...command.registeredArguments.map(({ argChoices }) => ({ option: '', choices: argChoices ?? [] })),
    ].filter(({ choices }) => choices.length > 0),
  };
  return [commandPlace, ...command.commands.flatMap((below) => listPlaces(`${place} ${below.name()}`, below))];
}

function describeCommand(command: Command): Word {
  return { word: command.name(), meaning: command.description() };
}
