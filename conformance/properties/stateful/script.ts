/** A script: the creation of a resource, then further actions in order. Actions in `a|b` are sent concurrently. */
export type Script = readonly string[];

/** Returns the actions of a script step: one, or two that are sent concurrently. */
export function splitActions(word: string): readonly string[] {
  return word.split('|');
}

/** Encodes a script as one string without spaces, for a replay token. */
export function writeScript(script: Script): string {
  return script.join(',');
}

/** Decodes the script of a replay token. */
export function readScript(text: string): Script {
  return text.split(',').filter((word) => word !== '');
}

/** Returns a script as text for a report. */
export function formatScript(script: Script): string {
  return script.join(' -> ');
}

/**
 * Returns the maximum number of tasks that a script may dispatch; `dispatching` lists the actions that dispatch a task.
 */
export function countDispatches(script: Script, dispatching: ReadonlySet<string>): number {
  return script.flatMap(splitActions).filter((action) => dispatching.has(getActionName(action))).length;
}

/** Returns an action without its variant: `follow` of `follow:null`. */
function getActionName(action: string): string {
  return action.split(':')[0] ?? '';
}

/** Returns the longest beginning of a script that dispatches at most `limit` tasks. */
export function cutTo(script: Script, limit: number, dispatching: ReadonlySet<string>): Script {
  const fits = script.map((_word, index) => countDispatches(script.slice(0, index + 1), dispatching) <= limit);
  const end = fits.indexOf(false);
  return end === -1 ? script : script.slice(0, end);
}

/**
 * Returns simpler scripts in the order in which to try them: the script up to the failing step, the script without one
 * of its steps, then with one step that has no concurrent action or no variant. `seenAt` is the index of the failing
 * step.
 */
export function simpler(script: Script, seenAt: number): Script[] {
  const shorter = script.map((_word, index) => script.toSpliced(index, 1)).slice(1);
  const plainer = script.flatMap((word, index) => plainerWords(word).map((plain) => script.with(index, plain)));
  const candidates = [script.slice(0, seenAt + 1), ...shorter.toReversed(), ...plainer];
  return candidates.filter((candidate) => writeScript(candidate) !== writeScript(script));
}

function plainerWords(word: string): string[] {
  const actions = splitActions(word);
  if (actions.length > 1) return [...actions];
  return word.includes(':') ? [getActionName(word)] : [];
}
