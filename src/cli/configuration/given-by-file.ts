import { isMap, isScalar, isSeq } from 'yaml';
import type { DataFile } from '../../../conformance/core/data-file.ts';
import { type Setting, type GivenValue } from './given.ts';

/**
 * Returns the settings of a YAML file by member; members without a value are omitted. Throws an error that names the
 * file for contents that are no mapping, an unknown member, or a value of the wrong kind.
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

/** Returns the texts of a value; null for a member without a value. Throws for a value of the wrong kind. */
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

/** Returns a scalar as text: a number as written, such as 1e3 or 010, so that the flag's own parser judges it. */
function sourceText(node: { readonly value: unknown; readonly source?: string }): string {
  const { value, source } = node;
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : (source ?? String(value));
}
