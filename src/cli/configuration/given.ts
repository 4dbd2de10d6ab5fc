import type { Command, Option } from 'commander';

/** Raw values of a setting and their source. */
export interface GivenValue {
  /** One text for a value; any number of texts for a list; `true` or `false` for a switch. */
  readonly texts: readonly string[];
  readonly from: 'flag' | 'environment' | 'file';
  /** Location of the value for messages: `--port`, `SVC_PORT` or `svc.yaml, line 3`. */
  readonly place: string;
}

/** A setting with its name in each source. */
export interface Setting {
  /** Name in a file: the long flag without its leading dashes, and without `no-` for a negated flag. */
  readonly member: string;
  /** Name of the environment variable, such as `SVC_PUBLIC_URL`. */
  readonly variable: string;
  readonly kind: 'value' | 'list' | 'switch';
  readonly option: Option;
}

const prefix = 'SVC_';

/** Flags that are no settings: they select the configuration file or print the configuration. */
const excludedFlags = new Set(['config', 'print-config']);

/**
 * Returns the options of a command as settings, which the environment and a file can set too; without `--config` and
 * `--print-config`.
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
