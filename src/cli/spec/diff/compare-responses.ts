import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Change, type Place, below, changeAt } from './change.ts';
import { compareContent } from './compare-bodies.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { Pair } from './pair.ts';

/** What changed in the answers of an operation, status by status. */
export function compareResponses(pair: Pair<JsonValue | undefined>, place: Place): Change[] {
  const [old, fresh] = [membersOf(pair.old), membersOf(pair.new)];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((status) => {
    const here = below(place, ` ${status}`);
    const [before, after] = [old[status], fresh[status]];
    const outcome = status.startsWith('2') ? 'success' : 'error';
    if (!isJsonObject(after)) return [changeAt(here, `${outcome}StatusRemoved`)];
    if (!isJsonObject(before)) return [changeAt(here, `${outcome}StatusAdded`)];
    return compareResponse({ old: before, new: after }, here);
  });
}

function compareResponse({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  const [before, after] = [membersOf(old['content']), membersOf(fresh['content'])];
  const gone = Object.keys(before).length > 0 && Object.keys(after).length === 0;
  return [
    ...compareHeaders({ old: membersOf(old['headers']), new: membersOf(fresh['headers']) }, place),
    ...(gone ? [changeAt(place, 'bodyRemoved')] : compareContent({ old: before, new: after }, place)),
  ];
}

function compareHeaders({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((name) => {
    const here = below(place, ` header ${name}`);
    const [before, after] = [old[name], fresh[name]];
    if (!isJsonObject(after)) return [changeAt(here, 'headerRemoved')];
    if (!isJsonObject(before)) return [changeAt(here, 'headerAdded')];
    const [was, is] = [before['required'] === true, after['required'] === true];
    return [
      ...(was === is ? [] : [changeAt(here, is ? 'headerBecameRequired' : 'headerBecameOptional')]),
      ...compareSchemas({ old: before['schema'], new: after['schema'] }, here),
    ];
  });
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
