/** A script in words: how it begins, then what is done in order. `a|b` is sent at once. */
export type Script = readonly string[];

/** The actions of a word: one, or two that are sent at once. */
export function actionsOf(word: string): readonly string[] {
  return word.split('|');
}

/** One word for a replay token. */
export function writeScript(script: Script): string {
  return script.join(',');
}

/** The script in a replay token. */
export function readScript(text: string): Script {
  return text.split(',').filter((word) => word !== '');
}

/** For people. */
export function tellScript(script: Script): string {
  return script.join(' -> ');
}

/** Tasks that a script may dispatch at most; `dispatching` are the actions that dispatch one. */
export function dispatchesOf(script: Script, dispatching: ReadonlySet<string>): number {
  return script.flatMap(actionsOf).filter((action) => dispatching.has(nameOf(action))).length;
}

/** An action without its variant: `follow` of `follow:null`. */
function nameOf(action: string): string {
  return action.split(':')[0] ?? '';
}

/** The longest beginning of a script that dispatches no more than this. */
export function cutTo(script: Script, limit: number, dispatching: ReadonlySet<string>): Script {
  const fits = script.map((_word, index) => dispatchesOf(script.slice(0, index + 1), dispatching) <= limit);
  const end = fits.indexOf(false);
  return end === -1 ? script : script.slice(0, end);
}

/**
 * Simpler scripts in the order in which they are worth a try: cut off behind the word at which the breach was seen, a word
 * left out, a race undone, a variant dropped.
 */
export function simpler(script: Script, seenAt: number): Script[] {
  const shorter = script.map((_word, index) => script.toSpliced(index, 1)).slice(1);
  const plainer = script.flatMap((word, index) => plainerWords(word).map((plain) => script.with(index, plain)));
  const candidates = [script.slice(0, seenAt + 1), ...shorter.toReversed(), ...plainer];
  return candidates.filter((candidate) => writeScript(candidate) !== writeScript(script));
}

function plainerWords(word: string): string[] {
  const actions = actionsOf(word);
  if (actions.length > 1) return [...actions];
  return word.includes(':') ? [nameOf(word)] : [];
}
