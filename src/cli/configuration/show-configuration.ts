import { stringify } from 'yaml';
import { type GivenValue, type Setting } from './given.ts';

/** Options of {@link showConfiguration}. */
export interface ShownOptions {
  /** Members whose values are masked. */
  readonly secrets: ReadonlySet<string>;
  /** Environment variables that start with `SVC_` and name no setting. */
  readonly unread: readonly string[];
}

/**
 * Formats the effective settings as a YAML file that `--config` accepts. A comment behind each setting names its
 * source; secrets are masked. Unread variables follow as comments.
 */
export function showConfiguration(
  settings: readonly Setting[],
  given: ReadonlyMap<string, GivenValue>,
  { secrets, unread }: ShownOptions,
): string {
  const lines = settings.map((setting) => {
    const found = given.get(setting.member);
    const value = found === undefined ? byDefault(setting) : parseValue(setting, found);
    return `${setting.member}: ${shown(value, secrets.has(setting.member))} # ${whence(found)}`;
  });
  const unknownVariables = unread.map((name) => `# not read: ${name} names no setting`);
  return [...lines, ...unknownVariables].join('\n');
}

function whence(found: GivenValue | undefined): string {
  return found === undefined ? 'default' : `${found.from} (${found.place})`;
}

/** Returns the default of a setting; null without one. */
function byDefault({ option, kind }: Setting): unknown {
  return kind === 'switch' ? option.negate : (option.defaultValue ?? null);
}

function parseValue({ kind, option }: Setting, { texts }: GivenValue): unknown {
  if (kind === 'list') return texts;
  const [text = ''] = texts;
  if (kind === 'switch') return text === 'true';
  return typeof option.defaultValue === 'number' ? Number(text) : text;
}

function shown(value: unknown, isSecret: boolean): string {
  const masked = Array.isArray(value) ? value.map((one) => maskedText(one, isSecret)) : maskedText(value, isSecret);
  return stringify(masked, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}

function maskedText(value: unknown, isSecret: boolean): unknown {
  if (typeof value !== 'string') return value;
  return isSecret ? mask : value.replaceAll(credentials, `${mask}@`);
}

const mask = '********';

/** Matches the user name and password of a URL. */
const credentials = /(?<=:\/\/)[^/@\s]+@/g;
