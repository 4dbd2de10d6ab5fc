import type { Command } from 'commander';
import type { Given } from './given.ts';
import { settingsOf } from './settings-of.ts';

/** Keeps the texts of the flags of a command as they are read, by member. To be called after its last option, before it reads any. */
export function watchFlags(command: Command): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const { option, member, kind } of settingsOf(command)) {
    const place = option.long ?? `--${member}`;
    command.on(`option:${option.name()}`, (text?: string) => {
      const earlier = kind === 'list' ? (given.get(member)?.texts ?? []) : [];
      given.set(member, { texts: [...earlier, text ?? String(!option.negate)], from: 'flag', place });
    });
  }
  return given;
}
