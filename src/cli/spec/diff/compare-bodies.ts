import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Change, type Place, below, changeAt } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { Pair } from './pair.ts';

type Body = JsonValue | undefined;

/** What changed in the body of a request. */
export function compareBodies({ old, new: fresh }: Pair<Body>, place: Place): Change[] {
  if (!isJsonObject(old) && !isJsonObject(fresh)) return [];
  if (!isJsonObject(fresh)) return [changeAt(place, 'bodyRemoved')];
  const is = fresh['required'] === true;
  if (!isJsonObject(old)) return [changeAt(place, is ? 'requiredBodyAdded' : 'bodyAdded')];
  const was = old['required'] === true;
  return [
    ...(was === is ? [] : [changeAt(place, is ? 'bodyBecameRequired' : 'bodyBecameOptional')]),
    ...compareContent({ old: old['content'], new: fresh['content'] }, place),
  ];
}

/** What changed in a body of either direction, media type by media type; JSON is not named, because nearly all is JSON. */
export function compareContent(pair: Pair<Body>, place: Place): Change[] {
  const [old, fresh] = [contentOf(pair.old), contentOf(pair.new)];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((type) => {
    const [before, after] = [old[type], fresh[type]];
    if (!isJsonObject(after)) return [changeAt(place, 'mediaTypeRemoved', type)];
    if (!isJsonObject(before)) return [changeAt(place, 'mediaTypeAdded', type)];
    const here = type === 'application/json' ? place : below(place, ` (${type})`);
    return compareSchemas({ old: before['schema'], new: after['schema'] }, here);
  });
}

function contentOf(content: Body): JsonObject {
  return isJsonObject(content) ? content : {};
}
