import type { LiveWish } from '#contract/live-messages.ts';
import { isJsonObject, isWithin, type JsonObject } from '#lib/json.ts';

/** Whether a value read from outside is of a kind. */
export type Guard<T> = (value: unknown) => value is T;

/** What an object has whose members are of these kinds. */
export type Guarded<Guards extends Readonly<Record<string, Guard<unknown>>>> = {
  readonly [Name in keyof Guards]: Guards[Name] extends Guard<infer Kind> ? Kind : never;
};

/** A finite number between two bounds, both included. */
function numberWithin(min: number, max: number): Guard<number> {
  return (value): value is number => typeof value === 'number' && value >= min && value <= max;
}

/** A whole number between two bounds, both included. */
function integerWithin(min: number, max: number): Guard<number> {
  return (value): value is number => Number.isInteger(value) && numberWithin(min, max)(value);
}

/** A text of at most so many characters. */
function textUpTo(length: number): Guard<string> {
  return (value): value is string => typeof value === 'string' && value.length <= length;
}

/** A complete address of http or https, at most 2,000 characters: other schemes open files or the browser's own pages. */
function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2_000 && /^https?:/i.test(value) && URL.canParse(value);
}

/** One of some words. */
function oneOf<const Word extends string>(words: readonly Word[]): Guard<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** True or false. */
function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** A list of at most so many objects, each with such members. */
function listOf<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  guards: Guards,
  most: number,
): Guard<Guarded<Guards>[]> {
  return (value): value is Guarded<Guards>[] =>
    Array.isArray(value) &&
    value.length <= most &&
    value.every((one) => isJsonObject(one) && pick(one, guards) !== null);
}

/** The members of an object, without any other; null when one of them is not of its kind. */
function pick<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  object: JsonObject,
  guards: Guards,
): Guarded<Guards> | null {
  const entries = Object.entries(guards).map(([name, guard]) => [name, object[name], guard(object[name])] as const);
  if (!entries.every(([, , isFine]) => isFine)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has just been found to be of its kind
  return Object.fromEntries(entries) as Guarded<Guards>;
}

/** Far off any page. */
const place = numberWithin(-100_000, 100_000);
const modifiers = integerWithin(0, 15);
const point = { x: place, y: place, modifiers };
const fingers = listOf({ id: integerWithin(0, 2 ** 31 - 1), x: place, y: place }, 10);
const word = textUpTo(64);
const text = textUpTo(500_000);

const wishes = {
  ack: { picture: integerWithin(0, 2 ** 32 - 1) },
  mouse: {
    ...point,
    action: oneOf(['move', 'down', 'up']),
    button: oneOf(['none', 'left', 'middle', 'right', 'back', 'forward']),
    buttons: integerWithin(0, 31),
    clicks: integerWithin(0, 3),
  },
  wheel: { ...point, deltaX: place, deltaY: place },
  key: {
    action: oneOf(['down', 'up']),
    key: word,
    code: word,
    keyCode: integerWithin(0, 255),
    location: integerWithin(0, 3),
    isRepeat: isFlag,
    modifiers,
    text: textUpTo(16),
  },
  touch: { action: oneOf(['start', 'move', 'end', 'cancel']), points: fingers, modifiers },
  text: { text },
  copy: {},
  dialog: { accept: isFlag, text },
  tab: { id: word },
  reload: {},
  back: {},
  navigate: { url: isWebAddress },
  newTab: {},
  // The sizes that a browser can be created with (companion 6.2).
  resize: { width: integerWithin(320, 6_144), height: integerWithin(320, 3_456) },
} as const;

/** No wish has more: ten fingers of four members each, and some members around them. */
const bounds = { depth: 4, values: 100 };

/** Reads what a page of the live view has sent; null for what no such page sends. Never throws. */
export function readViewerMessage(message: Buffer): LiveWish | null {
  const value = isWithin(message, bounds) ? parsed(message.toString('utf8')) : null;
  if (value === null) return null;
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(wishes, type)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is a member of the table, as has just been asked
  const guards = wishes[type as keyof typeof wishes];
  const members = pick(value, guards);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row of the type has just vouched for its members
  return members === null ? null : ({ type, ...members } as LiveWish);
}

function parsed(message: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(message);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
