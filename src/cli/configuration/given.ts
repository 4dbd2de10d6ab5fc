import type { Command, Option } from 'commander';

/** Raw values of a setting and their source. */
export interface GivenValue {
  /** The given texts: one text for a single value, any number for a list, and `true` or `false` for a switch. */
  readonly texts: readonly string[];
  readonly from: 'flag' | 'environment' | 'file';
  /** Location of the value for messages: `--port`, `SVC_PORT` or `svc.yaml, line 3`. */
  readonly place: string;
}

/** A setting with its name in each source. */
export interface Setting {
  /** Name of the setting in a file: the long flag without its leading dashes, and without `no-` for a negated flag. */
  readonly member: string;
  /** Name of the environment variable, such as `SVC_PUBLIC_URL`. */
  readonly variable: string;
  readonly kind: 'value' | 'list' | 'switch';
  readonly option: Option;
}

const prefix = 'SVC_';

/**
 * Flags that a file or the environment cannot set as settings: `--config` names the file, and `--print-config` prints
 * the settings.
 */
const excludedFlags = new Set(['config', 'print-config']);

/**
 * Returns the options of a command as settings, except `--config` and `--print-config`. The environment and a file can
 * set them too.
 */
export function listSettings(command: Command): readonly Setting[] {
  return command.options
    .map((option) => ({ option, member: option.name().replace(/^no-/, '') }))
    .filter(({ member }) => !excludedFlags.has(member))
    .map(({ option, member }) => ({ option, member, variable: variableName(member), kind: settingKind(option) }));
}

/** Returns the name of the environment variable for a member: `SVC_PUBLIC_URL` for `public-url`. */
export function variableName(member: string): string {
  return prefix + member.replaceAll('-', '_').toUpperCase();
}

function settingKind(option: Option): Setting['kind'] {
  if (option.isBoolean() || option.negate) return 'switch';
  return Array.isArray(option.defaultValue) ? 'list' : 'value';
}
