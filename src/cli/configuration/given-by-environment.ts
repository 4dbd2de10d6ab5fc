import type { Given } from './given.ts';
import type { Setting } from './settings-of.ts';

/** What the environment says of the settings, by member. The parts of a list are separated by commas; an empty variable says nothing. */
export function givenByEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const { member, variable, kind } of settings) {
    const text = environment[variable] ?? '';
    if (text === '') continue;
    const texts = kind === 'list' ? text.split(',').map((part) => part.trim()) : [text];
    given.set(member, { texts, from: 'environment', place: variable });
  }
  return given;
}
