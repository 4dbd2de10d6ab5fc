import * as fc from 'fast-check';
import { type JsonValue, isJsonObject } from '../core/json.ts';

/** Path from a value to a value inside it: names of members and indexes of elements. */
type Place = readonly (string | number)[];

/** Changes one value. Returns undefined if the value is to be removed. */
type Change = (value: JsonValue) => JsonValue | undefined;

const strange: readonly JsonValue[] = JSON.parse(
  '[null, true, 0, -1, 1.5, 1e12, "", " ", "something else", "\\ud83d\\ude00", "2026-13-45", "https://", [], [null], {}, {"strange": 1}]',
);

const changes: readonly Change[] = [
  () => undefined,
  (value) => (isJsonObject(value) ? { ...value, addedMember: 1 } : [value, value]),
  (value) => (Array.isArray(value) ? Array.from({ length: 200 }, () => value[0] ?? null) : 'x'.repeat(30_000)),
  ...strange.map((other) => () => other),
];

/**
 * Yields every variant of a value with one change at any depth: a value removed, replaced, enlarged or repeated, or a
 * member added.
 */
export function* damagedOnce(value: JsonValue): Generator<JsonValue> {
  for (const place of placesIn(value)) for (const change of changes) yield changed(value, place, change) ?? null;
}

/** Generates variants of a value with two to four changes of the kinds of {@link damagedOnce}. */
export function damaged(value: JsonValue): fc.Arbitrary<JsonValue> {
  const damage = fc.tuple(fc.constantFrom(...placesIn(value)), fc.constantFrom(...changes));
  return fc
    .array(damage, { minLength: 2, maxLength: 4 })
    .map((damages) => damages.reduce((found, [place, change]) => changed(found, place, change) ?? null, value));
}

function placesIn(value: JsonValue): Place[] {
  return [[], ...entriesIn(value).flatMap(([step, member]) => placesIn(member).map((place) => [step, ...place]))];
}

function entriesIn(value: JsonValue): [string | number, JsonValue][] {
  if (Array.isArray(value)) return [...value.entries()];
  return isJsonObject(value) ? Object.entries(value) : [];
}

function changed(value: JsonValue, [step, ...further]: Place, change: Change): JsonValue | undefined {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => (index === step ? (changed(entry, further, change) ?? []) : [entry]));
  }
  const inner = isJsonObject(value) ? value[step] : undefined;
  if (!isJsonObject(value) || inner === undefined) return value;
  const found = changed(inner, further, change);
  const others = Object.entries(value).filter(([name]) => name !== step);
  return Object.fromEntries(found === undefined ? others : [...others, [String(step), found]]);
}
