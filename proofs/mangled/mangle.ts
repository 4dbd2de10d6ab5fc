import { isJsonObject, type JsonValue, parseJson } from '#conformance/core/json.ts';
import type { Draw } from '../draw.ts';

/** An answer as the proxy sends it. */
export interface MangledAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * Bytes of the body after which the connection is destroyed; -1 = before the head of the answer, undefined = the
   * whole answer is sent.
   */
  readonly cutAfter?: number;
}

/** A function that returns a mangled answer. */
type Mangle = (answer: MangledAnswer, draw: Draw) => MangledAnswer;

/** Values that replace a value of an answer: values of each JSON type, and extreme values. */
const oddValues: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  '',
  'svc-text',
  '\u0000\u202E🙂',
  'x'.repeat(20_000),
  [],
  [[[[[]]]]],
  {},
  { constructor: null, toString: 1 },
  [null, 1, 'two', {}],
];

/** Statuses that may replace the status of an answer. */
const oddStatuses = [200, 201, 202, 206, 299, 301, 304, 400, 401, 403, 404, 409, 410, 418, 422, 500, 502, 503];

const mangles: Readonly<Record<string, Mangle>> = {
  'a member is left out': changesJson((value, draw) => changeInside(value, draw, () => undefined)),
  'a value is of another type': changesJson((value, draw) => changeInside(value, draw, () => draw.of(oddValues))),
  'the body is another value': changesJson((_value, draw) => draw.of(oddValues)),
  'an entry of a list stands twice': changesJson((value, draw) => repeatEntry(value, draw)),
  'ids are changed': (answer, draw) => ({ ...answer, body: answer.body.replaceAll(uuids, (id) => otherId(id, draw)) }),
  'the body is in a list': changesJson((value) => [value, value]),
  'the status is another one': (answer, draw) => ({ ...answer, status: draw.of(oddStatuses) }),
  'the content type is wrong': (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/html' } }),
  'the body is empty': (answer) => ({ ...answer, body: '' }),
  'the status is 204': (answer) => ({ ...answer, status: 204, body: '' }),
  'the body is a page': (answer) => ({ ...answer, body: '<html><body>Sign in</body></html>' }),
  'the body is cut off': (answer, draw) => ({ ...answer, cutAfter: draw.below(answer.body.length + 1) }),
  'the connection is closed': (answer) => ({ ...answer, cutAfter: -1 }),
};

/** Names of the ways to mangle an answer. */
export const mangleNames: readonly string[] = Object.keys(mangles);

/** Mangles an answer in the named way, one of `mangleNames`. Throws for an unknown name. */
export function mangle(name: string, answer: MangledAnswer, draw: Draw): MangledAnswer {
  const change = mangles[name];
  if (change === undefined) throw new Error(`found no way to mangle of the name ${name}`);
  return change(answer, draw);
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

function otherId(id: string, draw: Draw): string {
  return draw.chance(0.5) ? id : `${id.slice(0, -1)}${draw.of(['0', '1', '2'])}`;
}

/**
 * Returns a way to mangle an answer: a JSON body is changed by `change`, and an answer with any other body stays
 * unchanged.
 */
function changesJson(change: (value: JsonValue, draw: Draw) => JsonValue): Mangle {
  return (answer, draw) => {
    const value = parseJson(answer.body);
    return value === undefined ? answer : { ...answer, body: JSON.stringify(change(value, draw)) };
  };
}

/**
 * Replaces one value at a random depth of an object or list by the result of `change`; removes the value for undefined.
 * If the object or list is empty, or `value` is neither, replaces it as a whole, with null for undefined.
 */
function changeInside(value: JsonValue, draw: Draw, change: () => JsonValue | undefined): JsonValue {
  const isList = Array.isArray(value);
  const entries = isList || isJsonObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) return change() ?? null;
  const [chosen, inner] = draw.of(entries);
  const isDeep = typeof inner === 'object' && inner !== null && draw.chance(0.7);
  const changed = isDeep ? changeInside(inner, draw, change) : change();
  const kept = entries.flatMap(([name, item]): [string, JsonValue][] => {
    if (name !== chosen) return [[name, item]];
    return changed === undefined ? [] : [[name, changed]];
  });
  return isList ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}

function repeatEntry(value: JsonValue, draw: Draw): JsonValue {
  if (Array.isArray(value)) {
    const entry = value[draw.below(Math.max(1, value.length))];
    return entry === undefined ? value : [...value, entry];
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, repeatEntry(inner, draw)]));
}
