import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';
import { ConfigurationError } from './configuration-error.ts';
import type { Given } from './given.ts';
import type { Setting } from './settings-of.ts';

/** A file as it was read. */
export interface ConfigurationFile {
  readonly name: string;
  readonly text: string;
}

/**
 * What a YAML file says of the settings, by member; a member without a value says nothing. Throws a ConfigurationError for what is no
 * table, for a member that is no setting, and for a value of another kind.
 */
export function givenByFile({ name, text }: ConfigurationFile, settings: readonly Setting[]): Map<string, Given> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (node: unknown): string => `${name}, line ${lines.linePos(startOf(node)).line}`;
  const [broken] = document.errors;
  if (broken !== undefined) throw new ConfigurationError(`found ${broken.message.split('\n')[0]} in ${name}`);
  const given = new Map<string, Given>();
  if (document.contents === null) return given;
  if (!isMap(document.contents))
    throw new ConfigurationError(`found no table in ${name}, expected lines such as "port: 8080"`);
  for (const { key, value } of document.contents.items) {
    const setting = settingOf(key, settings, at(key));
    const texts = textsOf(value, setting, at(key));
    if (texts !== null) given.set(setting.member, { texts, from: 'file', place: at(key) });
  }
  return given;
}

function settingOf(key: unknown, settings: readonly Setting[], place: string): Setting {
  const member = isScalar(key) ? String(key.value) : '';
  const setting = settings.find((candidate) => candidate.member === member);
  if (setting !== undefined) return setting;
  const known = settings.map((candidate) => candidate.member).join(', ');
  throw new ConfigurationError(`found the unknown member "${member}" in ${place}, expected one of ${known}`);
}

/** Null where a member stands without a value. */
function textsOf(value: unknown, { kind, member }: Setting, place: string): string[] | null {
  if (value === null) return null;
  if (kind === 'list' && isSeq(value) && value.items.every(isScalar)) return value.items.map(textOf);
  if (isScalar(value)) {
    if (value.value === null) return null;
    if (kind === (typeof value.value === 'boolean' ? 'switch' : 'value')) return [textOf(value)];
  }
  const expected = { list: 'a list', switch: 'true or false', value: 'one value' }[kind];
  throw new ConfigurationError(`found something else than ${expected} for "${member}" in ${place}`);
}

/** As it was written, so that 1e3 or 010 are judged by the flag's own rules. */
function textOf(node: { readonly value: unknown; readonly source?: string }): string {
  const { value, source } = node;
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : (source ?? String(value));
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
