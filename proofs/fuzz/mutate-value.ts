import { type JsonObject, type JsonValue, isJsonObject } from '../../conformance/core/json.ts';
import type { Draw } from '../draw.ts';
import { oddText } from './odd-texts.ts';

/** Numbers that are known to cause bugs. */
const numbers = [
  0,
  -0,
  -1,
  0.1,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  100.5,
] as const;

/** Names of built-in object members. */
const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'task',
  'Task',
  'id',
  '$ref',
  '\u0000',
] as const;

/** Returns the value with one to three changes at random places. */
export function mutateValue(draw: Draw, value: JsonValue): JsonValue {
  let changed = value;
  for (let times = draw.between(1, 3); times > 0; times -= 1) changed = mutateOnce(draw, changed);
  return changed;
}

function mutateOnce(draw: Draw, value: JsonValue): JsonValue {
  if (Array.isArray(value) && value.length > 0 && draw.chance(0.8)) return mutateItem(draw, value);
  if (isJsonObject(value) && Object.keys(value).length > 0 && draw.chance(0.9)) return mutateMember(draw, value);
  return anything(draw);
}

function mutateItem(draw: Draw, list: readonly JsonValue[]): JsonValue {
  const at = draw.below(list.length);
  const item = list[at] ?? null;
  const ways: readonly (() => JsonValue[])[] = [
    () => list.toSpliced(at, 1),
    () => list.toSpliced(at, 0, item),
    () => Array.from({ length: draw.of([2, 50, 1000]) }, () => item),
    () => list.toSpliced(at, 1, mutateOnce(draw, item)),
  ];
  return draw.of(ways)();
}

function mutateMember(draw: Draw, object: JsonObject): JsonObject {
  const name = draw.of(Object.keys(object));
  const { [name]: member = null, ...others } = object;
  const ways: readonly (() => JsonObject)[] = [
    () => others,
    () => withMember(others, name.toUpperCase(), member),
    () => withMember(object, draw.of(names), anything(draw)),
    () => withMember(object, name, null),
    () => withMember(object, name, [member]),
    () => withMember(object, name, { [name]: member }),
    () => withMember(object, name, typeof member === 'string' ? Number(member) || 7 : JSON.stringify(member)),
    () => withMember(object, name, anything(draw)),
    () => withMember(object, name, mutateOnce(draw, member)),
    () => withMember(object, name, mutateOnce(draw, member)),
  ];
  return draw.of(ways)();
}

/**
 * Returns an object with another member, also for names such as `__proto__`, which an assignment would treat specially.
 */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object), [name, value]]);
}

/** Returns a random value of any type. */
function anything(draw: Draw): JsonValue {
  const ways: readonly (() => JsonValue)[] = [
    () => oddText(draw),
    () => oddText(draw),
    () => draw.of(numbers),
    () => draw.of([true, false, null]),
    () => [],
    () => ({}),
    () => draw.list([1, 4], () => draw.of(numbers)),
    () => withMember({}, oddText(draw), oddText(draw)),
  ];
  return draw.of(ways)();
}
