/** Returns the commands of a block without comments, split at line ends and at `&&`. */
export function splitCommands(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, ''))
    .flatMap((line) => line.split(' && '))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Returns true if a script contains a command. A command `npm run NAME` also counts if its npm script consists of
 * several commands and `script` contains each of them.
 */
export function isRunBy(script: string, command: string, scripts: Readonly<Record<string, string>>): boolean {
  const words = script.split(/[\s'"`(),]+/).join(' ');
  if (` ${words} `.includes(` ${command} `)) return true;
  const name = /^npm (?:run )?(?<name>[\w:-]+)$/.exec(command)?.groups?.['name'];
  const parts = name === undefined ? undefined : scripts[name]?.split(' && ');
  return parts !== undefined && parts.length > 1 && parts.every((part) => isRunBy(script, part, scripts));
}
