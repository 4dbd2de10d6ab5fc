import type { Command, Option } from 'commander';
import { isMap, isScalar, isSeq } from 'yaml';
import type { DataFile } from '../../../conformance/core/data-file.ts';

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
  /** Name in a file: the flag without dashes, and without `no-` for a negated flag. */
  readonly member: string;
  /** Name of the environment variable, such as `SVC_PUBLIC_URL`. */
  readonly variable: string;
  readonly kind: 'value' | 'list' | 'switch';
  readonly option: Option;
}

const prefix = 'SVC_';

/** Flags that are no settings: they select the configuration file or print the configuration. */
const excludedFlags = new Set(['config', 'print-config']);

/** Returns the options of a command as settings. The environment and a YAML file can set them too. */
export function listSettings(command: Command): readonly Setting[] {
  return command.options
    .map((option) => ({ option, member: option.name().replace(/^no-/, '') }))
    .filter(({ member }) => !excludedFlags.has(member))
    .map(({ option, member }) => ({ option, member, variable: variableName(member), kind: settingKind(option) }));
}

/** Returns the environment variable of a member. */
export function variableName(member: string): string {
  return prefix + member.replaceAll('-', '_').toUpperCase();
}

function settingKind(option: Option): Setting['kind'] {
  if (option.isBoolean() || option.negate) return 'switch';
  return Array.isArray(option.defaultValue) ? 'list' : 'value';
}

/**
 * Returns the settings of a YAML file by member; a member without a value is left out. Throws the fault of the file for
 * a file that is no mapping, an unknown member, or a value of the wrong kind.
 */
export function givenByFile(file: DataFile, settings: readonly Setting[]): Map<string, GivenValue> {
  const { contents } = file.document;
  const given = new Map<string, GivenValue>();
  if (contents === null) return given;
  if (!isMap(contents)) throw file.fault([{ path: [], text: 'no mapping, expected lines such as "port: 8080"' }]);
  for (const { key, value } of contents.items) {
    const setting = findSetting(key, settings, file);
    const texts = readTexts(value, setting, file);
    const place = `${file.name}, ${file.at([setting.member])}`;
    if (texts !== null) given.set(setting.member, { texts, from: 'file', place });
  }
  return given;
}

function findSetting(key: unknown, settings: readonly Setting[], file: DataFile): Setting {
  const word = isScalar(key) ? String(key.value) : '';
  const setting = settings.find(({ member }) => member === word);
  if (setting !== undefined) return setting;
  const known = settings.map(({ member }) => member);
  throw file.fault([{ path: [word], text: `the unknown member "${word}"`, unknown: { word, known } }]);
}

/** Returns the texts of a value; null for a member without a value. */
function readTexts(value: unknown, { kind, member }: Setting, file: DataFile): string[] | null {
  if (value === null) return null;
  if (kind === 'list' && isSeq(value) && value.items.every(isScalar)) return value.items.map(sourceText);
  if (isScalar(value)) {
    if (value.value === null) return null;
    if (kind === (typeof value.value === 'boolean' ? 'switch' : 'value')) return [sourceText(value)];
  }
  const expected = { list: 'a list', switch: 'true or false', value: 'one value' }[kind];
  throw file.fault([{ path: [member], text: `something else than ${expected} for "${member}"` }]);
}

/** Returns a value as written, so that the flag's own parser judges notations such as 1e3 or 010. */
function sourceText(node: { readonly value: unknown; readonly source?: string }): string {
  const { value, source } = node;
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : (source ?? String(value));
}
