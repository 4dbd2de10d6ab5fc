import type { JsonObject, JsonValue } from '#lib/json.ts';
import { type Change, type Place, below, changeAt } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { Pair } from './pair.ts';

/** What changed in the query, header and cookie parameters of an operation. */
export function compareParameters(pair: Pair<readonly JsonObject[]>, place: Place): Change[] {
  const old = byName(pair.old);
  const fresh = byName(pair.new);
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((name) => {
    const here = below(place, ` ${name}`);
    const [before, after] = [old.get(name), fresh.get(name)];
    if (after === undefined) return [changeAt(here, 'parameterRemoved')];
    if (before === undefined) {
      return [changeAt(here, after['required'] === true ? 'requiredParameterAdded' : 'parameterAdded')];
    }
    return compareParameter({ old: before, new: after }, here);
  });
}

function compareParameter({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  const [was, is] = [old['required'] === true, fresh['required'] === true];
  return [
    ...(was === is ? [] : [changeAt(place, is ? 'parameterBecameRequired' : 'parameterBecameOptional')]),
    ...compareSchemas({ old: old['schema'], new: fresh['schema'] }, place),
  ];
}

/** By where and how it is called: `query page_size`. */
function byName(parameters: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(parameters.map((parameter) => [`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter]));
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
