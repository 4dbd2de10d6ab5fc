import { isMap, isScalar, isSeq } from 'yaml';
import type { DataFile } from '#conformance/core/data-file.ts';
import { type Setting, type GivenValue } from './given.ts';

/**
 * Returns the settings in a YAML file by member; omits members without a value. Throws an error that names the file if
 * the file is no mapping, has an unknown member, or has a value of the wrong kind.
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

/**
 * Returns the value of a member as a list of texts; null for a member without a value. Throws for a value of the wrong
 * kind.
 */
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

/**
 * Returns a scalar of YAML as text. A number stays as it is written, such as 1e3 or 010, so that the parser of the flag
 * decides whether it is valid.
 */
function sourceText(node: { readonly value: unknown; readonly source?: string }): string {
  const { value, source } = node;
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  return source ?? String(value);
}
