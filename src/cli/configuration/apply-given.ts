import { type Command, InvalidArgumentError } from 'commander';
import { ConfigurationError } from './configuration-error.ts';
import type { Given } from './given.ts';
import type { Setting } from './settings-of.ts';

/**
 * Gives a setting of a command the value of those texts, read as its flag reads them. Throws a ConfigurationError that names the place
 * for what the flag refuses.
 */
export function applyGiven(command: Command, { option, kind, member }: Setting, given: Given): void {
  const set = (value: unknown): void => {
    command.setOptionValueWithSource(option.attributeName(), value, given.from === 'file' ? 'config' : 'env');
  };
  const [text = ''] = given.texts;
  if (kind === 'switch') {
    if (text !== 'true' && text !== 'false')
      throw new ConfigurationError(`found "${text}" for "${member}" in ${given.place}, expected true or false`);
    set(text === 'true');
    return;
  }
  try {
    set(kind === 'list' ? given.texts.reduce(read, option.defaultValue) : read(undefined, text));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new ConfigurationError(
      `found an unusable value for "${member}" in ${given.place}: ${error.message.replace(/\.$/, '')}`,
    );
  }

  function read(earlier: unknown, one: string): unknown {
    return option.parseArg === undefined ? one : option.parseArg(one, earlier);
  }
}
