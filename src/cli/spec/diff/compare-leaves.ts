import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { type Alternative, flatten, isIn, limits } from './alternatives.ts';
import { type Change, changeAt, type Pair, type Place } from './change.ts';

/** Compares the values of one type: enumerations, bounds and formats. */
export function compareLeaves(pair: Pair<Alternative>, place: Place): Change[] {
  const schemas = { old: pair.old.schema, new: pair.new.schema };
  return [
    ...compareNumberTypes(pair, place),
    ...compareValues({ old: pair.old.values, new: pair.new.values }, place),
    ...compareLimits(schemas, place),
    ...compareFormats(schemas, place),
  ];
}

/** Compares the `default` keywords of two schemas. */
export function compareDefaults({ old, new: fresh }: Pair<JsonValue | undefined>, place: Place): Change[] {
  const before = isJsonObject(old) ? flatten(old)['default'] : undefined;
  const after = isJsonObject(fresh) ? flatten(fresh)['default'] : undefined;
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [changeAt(place, 'defaultChanged', `(${shown(before)} -> ${shown(after)})`)];
}

function compareNumberTypes({ old, new: fresh }: Pair<Alternative>, place: Place): Change[] {
  if (old.type === fresh.type) return [];
  return [changeAt(place, old.type === 'integer' ? 'typeAdded' : 'typeRemoved', 'number beside integer')];
}

function compareValues({ old, new: fresh }: Pair<readonly JsonValue[] | null>, place: Place): Change[] {
  if (old === null && fresh === null) return [];
  if (old === null) return [changeAt(place, 'valuesLimited', valueList(fresh))];
  if (fresh === null) return [changeAt(place, 'valuesFreed', valueList(old))];
  const [was, is] = [isIn(old), isIn(fresh)];
  return [
    ...old.filter((value) => !is(value)).map((value) => changeAt(place, 'valueRemoved', JSON.stringify(value))),
    ...fresh.filter((value) => !was(value)).map((value) => changeAt(place, 'valueAdded', JSON.stringify(value))),
  ];
}

function compareLimits({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  return Object.entries(limits).flatMap(([name, largerAllowsMore]) => {
    const none = largerAllowsMore ? Infinity : -Infinity;
    const before = typeof old[name] === 'number' ? old[name] : none;
    const after = typeof fresh[name] === 'number' ? fresh[name] : none;
    if (before === after) return [];
    const looser = after > before === largerAllowsMore;
    const detail = `(${name}: ${shown(before)} -> ${shown(after)})`;
    return [changeAt(place, looser ? 'limitLoosened' : 'limitTightened', detail)];
  });
}

/**
 * Compares patterns, formats, `multipleOf` and `uniqueItems`. A new keyword restricts the values, a removed keyword
 * allows more values, and a different value of the keyword may do both.
 */
function compareFormats({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  return ['pattern', 'format', 'multipleOf', 'uniqueItems'].flatMap((name) => {
    const [before, after] = [old[name], fresh[name]];
    if (before === after) return [];
    const detail = `(${name}: ${shown(before)} -> ${shown(after)})`;
    if (before === undefined) return [changeAt(place, 'limitTightened', detail)];
    return [changeAt(place, after === undefined ? 'limitLoosened' : 'formatChanged', detail)];
  });
}

function valueList(values: readonly JsonValue[] | null): string {
  return `to ${(values ?? []).map((value) => JSON.stringify(value)).join(', ')}`;
}

function shown(value: JsonValue | undefined): string {
  return value === undefined || value === Infinity || value === -Infinity ? 'none' : JSON.stringify(value);
}
