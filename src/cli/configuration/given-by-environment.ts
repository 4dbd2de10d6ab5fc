import type { Given } from './given.ts';
import type { Setting } from './settings-of.ts';

/**
 * What the environment says of the settings, by member. The parts of a list are separated by commas; an empty variable says nothing.
 * `elsewhere` names a variable of others by member, which is read where ours says nothing.
 */
export function givenByEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
  elsewhere: Readonly<Record<string, string>> = {},
): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const { member, variable, kind } of settings) {
    const place = [variable, elsewhere[member] ?? variable].find((name) => (environment[name] ?? '') !== '');
    if (place === undefined) continue;
    const text = environment[place] ?? '';
    const texts = kind === 'list' ? text.split(',').map((part) => part.trim()) : [text];
    given.set(member, { texts, from: 'environment', place });
  }
  return given;
}
