import type { Command, Option } from 'commander';
import { isMap, isScalar, isSeq } from 'yaml';
import type { DataFile } from '#conformance/core/data-file.ts';

/** The texts of one setting as somebody gave them, and who did. */
export interface Given {
  /** One text; any number of them for a list; `true` or `false` for a switch. */
  readonly texts: readonly string[];
  readonly from: 'flag' | 'environment' | 'file';
  /** Where, for people: `--port`, `SVC_PORT` or `svc.yaml, line 3`. */
  readonly place: string;
}

/**
 * Returns what a YAML file says of the settings, by member; a member without a value says nothing. Throws the fault of the file for what is no
 * mapping, for a member that is no setting, and for a value of another kind.
 */
export function givenByFile(file: DataFile, settings: readonly Setting[]): Map<string, Given> {
  const { contents } = file.document;
  const given = new Map<string, Given>();
  if (contents === null) return given;
  if (!isMap(contents)) throw file.fault([{ path: [], text: 'no mapping, expected lines such as "port: 8080"' }]);
  for (const { key, value } of contents.items) {
    const setting = settingOf(key, settings, file);
    const texts = textsOf(value, setting, file);
    const place = `${file.name}, ${file.at([setting.member])}`;
    if (texts !== null) given.set(setting.member, { texts, from: 'file', place });
  }
  return given;
}

function settingOf(key: unknown, settings: readonly Setting[], file: DataFile): Setting {
  const word = isScalar(key) ? String(key.value) : '';
  const setting = settings.find(({ member }) => member === word);
  if (setting !== undefined) return setting;
  const known = settings.map(({ member }) => member);
  throw file.fault([{ path: [word], text: `the unknown member "${word}"`, unknown: { word, known } }]);
}

/** Null where a member stands without a value. */
function textsOf(value: unknown, { kind, member }: Setting, file: DataFile): string[] | null {
  if (value === null) return null;
  if (kind === 'list' && isSeq(value) && value.items.every(isScalar)) return value.items.map(textOf);
  if (isScalar(value)) {
    if (value.value === null) return null;
    if (kind === (typeof value.value === 'boolean' ? 'switch' : 'value')) return [textOf(value)];
  }
  const expected = { list: 'a list', switch: 'true or false', value: 'one value' }[kind];
  throw file.fault([{ path: [member], text: `something else than ${expected} for "${member}"` }]);
}

/** As it was written, so that 1e3 or 010 are judged by the flag's own rules. */
function textOf(node: { readonly value: unknown; readonly source?: string }): string {
  const { value, source } = node;
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : (source ?? String(value));
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
