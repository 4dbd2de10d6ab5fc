import type { Command, Option } from 'commander';

/** Raw values of a setting and their source. */
export interface Given {
  /** One text; any number of them for a list; `true` or `false` for a switch. */
  readonly texts: readonly string[];
  readonly from: 'flag' | 'environment' | 'file';
  /** Where, for people: `--port`, `SVC_PORT` or `svc.yaml, line 3`. */
  readonly place: string;
}

/** One thing that can be configured, by its three names. */
export interface Setting {
  /** What a file calls it: the flag without its dashes, and without `no-` where the flag takes something away. */
  readonly member: string;
  /** What the environment calls it, such as `SVC_PUBLIC_URL`. */
  readonly variable: string;
  readonly kind: 'value' | 'list' | 'switch';
  readonly option: Option;
}

const prefix = 'SVC_';

/** What says where the rest comes from, or what to do with it, is no part of it. */
const apart = new Set(['config', 'print-config']);

/** The options of a command as one table of settings: what is a flag can be said in the environment and in a file too. */
export function settingsOf(command: Command): readonly Setting[] {
  return command.options
    .map((option) => ({ option, member: option.name().replace(/^no-/, '') }))
    .filter(({ member }) => !apart.has(member))
    .map(({ option, member }) => ({ option, member, variable: variableOf(member), kind: kindOf(option) }));
}

/** What the environment calls a member. */
export function variableOf(member: string): string {
  return prefix + member.replaceAll('-', '_').toUpperCase();
}

function kindOf(option: Option): Setting['kind'] {
  if (option.isBoolean() || option.negate) return 'switch';
  return Array.isArray(option.defaultValue) ? 'list' : 'value';
}
