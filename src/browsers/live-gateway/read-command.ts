import type { LiveWish } from '#contract/live-messages.ts';
import { isJsonObject, isWithin, type JsonObject } from '#lib/json.ts';

/** Returns whether an untrusted value has a type. */
export type Guard<T> = (value: unknown) => value is T;

/** The type of an object whose members satisfy guards. */
export type Guarded<Guards extends Readonly<Record<string, Guard<unknown>>>> = {
  readonly [Name in keyof Guards]: Guards[Name] extends Guard<infer Kind> ? Kind : never;
};

/** Returns a guard for finite numbers between two bounds, both included. */
function numberWithin(min: number, max: number): Guard<number> {
  return (value): value is number => typeof value === 'number' && value >= min && value <= max;
}

/** Returns a guard for integers between two bounds, both included. */
function integerWithin(min: number, max: number): Guard<number> {
  return (value): value is number => Number.isInteger(value) && numberWithin(min, max)(value);
}

/** Returns a guard for strings of at most `length` characters. */
function textUpTo(length: number): Guard<string> {
  return (value): value is string => typeof value === 'string' && value.length <= length;
}

/**
 * Returns whether a value is an absolute HTTP or HTTPS URL of at most 2,000 characters. Other schemes open files or
 * internal pages of the browser.
 */
function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2_000 && /^https?:/i.test(value) && URL.canParse(value);
}

/** Returns a guard for one of some strings. */
function oneOf<const Word extends string>(words: readonly Word[]): Guard<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** Returns whether a value is a boolean. */
function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** Returns a guard for arrays of at most `length` objects with guarded members. */
function listOf<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  guards: Guards,
  most: number,
): Guard<Guarded<Guards>[]> {
  return (value): value is Guarded<Guards>[] =>
    Array.isArray(value) &&
    value.length <= most &&
    value.every((one) => isJsonObject(one) && pick(one, guards) !== null);
}

/** Returns the guarded members of an object without other members; null when a member fails its guard. */
function pick<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  object: JsonObject,
  guards: Guards,
): Guarded<Guards> | null {
  const entries = Object.entries(guards).map(([name, guard]) => [name, object[name], guard(object[name])] as const);
  if (!entries.every(([, , isFine]) => isFine)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has just been found to be of its kind
  return Object.fromEntries(entries) as Guarded<Guards>;
}

/** Coordinates far outside of any page. */
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
  // The sizes with which a browser can be created (companion 6.2).
  resize: { width: integerWithin(320, 6_144), height: integerWithin(320, 3_456) },
} as const;

/** Limits of a message: ten fingers of four members each, and some members around them. */
const bounds = { depth: 4, values: 100 };

/** Parses a message of a viewer; null for a message that the live view page never sends. Never throws. */
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
