import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Alternative, listAlternatives, flatten, pairAlternatives } from './alternatives.ts';
import { below, type Change, changeAt, type Pair, type Place } from './change.ts';
import { compareDefaults, compareLeaves } from './compare-leaves.ts';
import { canHold, type Condition, readConditions, formatConditions } from './conditions.ts';

type Schema = JsonValue | undefined;

/**
 * Compares two dereferenced schemas and their defaults. Ignores differences in wording, examples and `x-` members. May
 * report a change for an equivalent constraint that is written in another form.
 */
export function compareSchemas(pair: Pair<Schema>, place: Place): Change[] {
  return compare(pair, place, []);
}

/**
 * Compares two schemas. `above` holds the pairs that are being compared, so that recursion into a recursive schema
 * ends.
 */
function compare(pair: Pair<Schema>, place: Place, above: readonly Pair<Schema>[]): Change[] {
  if (pair.old === pair.new || above.some((seen) => seen.old === pair.old && seen.new === pair.new)) return [];
  const old = listAlternatives(pair.old);
  const fresh = listAlternatives(pair.new);
  if (old.length === 0 && fresh.length === 0) return [];
  if (old.length === 0) return [changeAt(place, 'somethingAllowed')];
  if (fresh.length === 0) return [changeAt(place, 'nothingAllowed')];
  return [...compareAlternatives({ old, new: fresh }, place, [...above, pair]), ...compareDefaults(pair, place)];
}

function compareAlternatives(
  { old, new: fresh }: Pair<readonly Alternative[]>,
  place: Place,
  above: readonly Pair<Schema>[],
): Change[] {
  const wasAny = isAny(old);
  if (wasAny !== isAny(fresh)) {
    return [changeAt(place, wasAny ? 'typesLimited' : 'typesFreed', typeList(wasAny ? fresh : old))];
  }
  const types = [...new Set([...old, ...fresh].map(({ type }) => broad(type)))];
  return types.flatMap((type) => {
    const ofType = ({ type: found }: Alternative): boolean => broad(found) === type;
    return compareOfType({ old: old.filter(ofType), new: fresh.filter(ofType) }, place, above);
  });
}

/** Compares the alternatives of one type in both documents, usually one in each. */
function compareOfType(pair: Pair<readonly Alternative[]>, place: Place, above: readonly Pair<Schema>[]): Change[] {
  const [before] = pair.old;
  const [after] = pair.new;
  if (before === undefined || after === undefined) {
    const kind = before === undefined ? 'typeAdded' : 'typeRemoved';
    return [changeAt(place, kind, (before ?? after)?.type ?? '')];
  }
  return pairAlternatives(pair, place, (old, fresh) => compareTyped({ old, new: fresh }, place, above));
}

function compareTyped(pair: Pair<Alternative>, place: Place, above: readonly Pair<Schema>[]): Change[] {
  const schemas = { old: pair.old.schema, new: pair.new.schema };
  return [
    ...compareLeaves(pair, place),
    ...(pair.old.type === 'object' ? compareObjects(schemas, place, above) : []),
    ...(pair.old.type === 'array'
      ? compare({ old: schemas.old['items'], new: schemas.new['items'] }, below(place, '[]'), above)
      : []),
  ];
}

function compareObjects(pair: Pair<JsonObject>, place: Place, above: readonly Pair<Schema>[]): Change[] {
  const always = compareOwnMembers(pair, place, above);
  return [...always, ...compareConditions(pair, place, { above, always })];
}

/** Compares the members of two object schemas, and whether they allow further members. Ignores conditional schemas. */
function compareOwnMembers(pair: Pair<JsonObject>, place: Place, above: readonly Pair<Schema>[]): Change[] {
  const old = readMembers(pair.old);
  const fresh = readMembers(pair.new);
  const names = [...new Set([...old.schemas.keys(), ...fresh.schemas.keys(), ...old.required, ...fresh.required])];
  return [
    ...names.flatMap((name) => compareMember({ name, old, new: fresh }, below(place, `.${name}`), above)),
    ...compareOpenness({ old: pair.old['additionalProperties'], new: pair.new['additionalProperties'] }, place, above),
  ];
}

interface Members {
  readonly schemas: ReadonlyMap<string, JsonValue>;
  readonly required: ReadonlySet<string>;
}

function readMembers(schema: JsonObject): Members {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    schemas: new Map(Object.entries(properties)),
    required: new Set(required.filter((name) => typeof name === 'string')),
  };
}

function compareMember(
  { name, old, new: fresh }: Pair<Members> & { readonly name: string },
  place: Place,
  above: readonly Pair<Schema>[],
): Change[] {
  const was = old.schemas.has(name) || old.required.has(name);
  const is = fresh.schemas.has(name) || fresh.required.has(name);
  if (!is) return [changeAt(place, 'memberRemoved')];
  if (!was) return [changeAt(place, fresh.required.has(name) ? 'requiredMemberAdded' : 'memberAdded')];
  const required = fresh.required.has(name);
  return [
    ...(old.required.has(name) === required
      ? []
      : [changeAt(place, required ? 'memberBecameRequired' : 'memberBecameOptional')]),
    ...compare({ old: old.schemas.get(name), new: fresh.schemas.get(name) }, place, above),
  ];
}

function compareOpenness({ old, new: fresh }: Pair<Schema>, place: Place, above: readonly Pair<Schema>[]): Change[] {
  if ((old === false) !== (fresh === false))
    return [changeAt(place, fresh === false ? 'membersClosed' : 'membersOpened')];
  return old === false ? [] : compare({ old, new: fresh }, below(place, '.*'), above);
}

/**
 * Compares the conditional schemas of two object schemas for each value of the deciding member. For each value,
 * compares the object schemas merged with the conditional schemas. Omits changes in `always`, which apply to every
 * value. Ignores a value that only one document allows, because the comparison of enumerations reports it.
 */
function compareConditions(
  pair: Pair<JsonObject>,
  place: Place,
  { above, always }: { readonly above: readonly Pair<Schema>[]; readonly always: readonly Change[] },
): Change[] {
  const old = readConditions(pair.old);
  const fresh = readConditions(pair.new);
  const known = new Set(always.map(changeKey));
  const changes = [...new Set([...old.byLabel.keys(), ...fresh.byLabel.keys()])].flatMap((label) => {
    const [before, after] = [old.byLabel.get(label), fresh.byLabel.get(label)];
    const condition = before ?? after;
    if (condition === undefined || !canHold(pair.old, condition) || !canHold(pair.new, condition)) return [];
    const effective = { old: together(pair.old, before?.asks), new: together(pair.new, after?.asks) };
    const found = compare(effective, place, above).filter((change) => !known.has(changeKey(change)));
    return withoutOpened(found).map((change) => ({ condition, change }));
  });
  const sameUnread = JSON.stringify(withoutWording(old.unread)) === JSON.stringify(withoutWording(fresh.unread));
  return [...grouped(changes), ...(sameUnread ? [] : [changeAt(place, 'ruleUnread')])];
}

/** Returns the changes without those removed members that the new schema allows as further members. */
function withoutOpened(changes: readonly Change[]): readonly Change[] {
  const opened = changes.filter(({ kind }) => kind === 'membersOpened').map(({ where }) => `${where}.`);
  return changes.filter(
    ({ kind, where }) => kind !== 'memberRemoved' || !opened.some((place) => where.startsWith(place)),
  );
}

/** Merges changes that differ only in the value of the deciding member into one change. */
function grouped(found: readonly { readonly condition: Condition; readonly change: Change }[]): Change[] {
  const groups = Map.groupBy(found, ({ condition, change }) =>
    JSON.stringify([condition.member, condition.besides, changeKey(change)]),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const when = formatConditions([first, ...others].map(({ condition }) => condition));
    return [{ ...first.change, where: `${first.change.where} (when ${when})` }];
  });
}

function together(
  { allOf: _conditions, default: _default, ...own }: JsonObject,
  asks: JsonObject | undefined,
): JsonObject {
  return flatten({ allOf: [own, asks ?? {}] });
}

function changeKey({ kind, where, detail }: Change): string {
  return JSON.stringify([kind, where, detail]);
}

function isAny(alternatives: readonly Alternative[]): boolean {
  return alternatives.some(({ type }) => type === 'any');
}

/**
 * Returns `number` for `integer`, so that a change between the two counts as a change of one alternative. Returns other
 * types unchanged.
 */
function broad(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function typeList(alternatives: readonly Alternative[]): string {
  return `to ${[...new Set(alternatives.map(({ type }) => type))].join(', ')}`;
}

const wording = new Set(['description', 'title', 'summary', 'example', 'examples', 'externalDocs', 'deprecated']);

/**
 * Returns a copy without descriptions, examples and `x-` members, with sorted names, so that equivalent copies are
 * equal. Members of `properties` stay, whatever their names.
 */
function withoutWording(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member) => withoutWording(member));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !wording.has(name) && !name.startsWith('x-'))
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, name === 'properties' ? named(member) : withoutWording(member)]),
  );
}

function named(properties: JsonValue): JsonValue {
  if (!isJsonObject(properties)) return properties;
  const members = Object.entries(properties).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutWording(member)]));
}
