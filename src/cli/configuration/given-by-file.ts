import { isMap, isScalar, isSeq } from 'yaml';
import type { DataFile } from '../../../conformance/core/data-file.ts';
import { type Setting, type Given } from './given.ts';

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
