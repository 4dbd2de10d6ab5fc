import { isJsonObject, isWithin, type JsonObject } from '#lib/json.ts';
import type { LiveWish } from '#contract/live-messages.ts';
import { integerWithin, isFlag, isWebAddress, listOf, numberWithin, oneOf, pick, textUpTo } from './guards.ts';

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
export function readWish(message: Buffer): LiveWish | null {
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
