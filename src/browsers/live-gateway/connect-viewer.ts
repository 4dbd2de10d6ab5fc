import type { WebSocket } from 'ws';
import type { LiveInput, LiveOrder, LiveReport, LiveWish } from '#contract/live-messages.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { readInTurns } from '../gateway/connect-client.ts';
import { shut } from '../gateway/sockets.ts';
import type { LivePicture, LiveSeat } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import type { LiveAccess, LiveLimits } from './live-access.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { isWithin } from '#lib/json-size.ts';

/** Connection of a viewer and the browser that it watches. */
interface ViewerDeps {
  readonly socket: WebSocket;
  readonly access: LiveAccess;
  readonly limits: LiveLimits;
  readonly table: RuleBook['cdpPolicy'];
  readonly log: HostLog;
}

/**
 * Connects the websocket of a viewer to the live view of a browser, until the viewer disconnects or the browser ends.
 * Never rejects.
 */
export async function connectViewer(deps: ViewerDeps): Promise<void> {
  const { socket, access, limits, log } = deps;
  socket.on('error', (error) => log.info({ err: error }, 'a connection of the live view broke'));
  const pictures = createPictureWindow(limits.unshownMax, (message) => {
    if (socket.readyState === socket.OPEN) socket.send(message);
  });
  // Reading starts when the viewer is connected.
  socket.pause();
  try {
    const view = await access.watch({
      picture: (picture) => pictures.offer(picture),
      wantsPicture: () => socket.readyState === socket.OPEN && pictures.hasRoom(),
      scene: (scene) => report(deps, { type: 'scene', mode: access.mode, viewOnlyPath: access.viewOnlyPath, scene }),
      answersDialogs: access.answersDialogs,
    });
    if (view === null) sayGone(deps);
    else {
      readInTurns(socket, limits, (bytes) => receive({ ...deps, seat: view.seat, pictures }, bytes));
      void view.ended.then(() => sayGone(deps));
      leaveWith(deps, view.seat);
    }
  } catch (error) {
    log.warn({ err: error }, 'a viewer could not join');
    shut(deps, 'notJoined');
  }
  socket.resume();
}

/** Makes the viewer leave the live view when the websocket closes, or at once if it is already closed. */
function leaveWith({ socket, log }: ViewerDeps, seat: LiveSeat): void {
  const leave = (): void => {
    seat.leave().catch((error: unknown) => log.warn({ err: error }, 'a viewer could not leave'));
  };
  if (socket.readyState === socket.CLOSED) leave();
  else socket.once('close', leave);
}

function sayGone(deps: ViewerDeps): void {
  report(deps, { type: 'gone' });
  shut(deps, 'ended', { reason: 'no browser is running' });
}

/** Sends a message to a viewer. Closes the connection if the viewer has left too many bytes unread. */
export function report(deps: Pick<ViewerDeps, 'socket' | 'limits' | 'table'>, message: LiveReport): void {
  const { socket, limits } = deps;
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > limits.backlogBytesMax) shut(deps, 'tooSlow');
  else socket.send(JSON.stringify(message));
}

interface Seated extends ViewerDeps {
  readonly seat: LiveSeat;
  readonly pictures: PictureWindow;
}

function receive(parts: Seated, bytes: Buffer): null {
  const wish = readViewerMessage(bytes);
  if (wish === null) shut(parts, 'notHandled');
  else if (wish.type === 'ack') {
    parts.pictures.shown(wish.picture);
    if (parts.pictures.hasRoom()) parts.seat.wanted();
  }
  // Checked here and not only in the page: holders of a view-only token can send any message.
  else if (parts.access.mode === 'view') report(parts, { type: 'refused' });
  else act(parts, wish);
  return null;
}

function act(parts: Seated, wish: Exclude<LiveWish, { type: 'ack' }>): void {
  const { seat, log } = parts;
  if (isInput(wish)) return seat.input(wish);
  seat.order(wish).then(
    (text) => text !== null && report(parts, { type: 'copied', text }),
    (error: unknown) => log.warn({ err: error }, 'an order of a viewer could not be carried out'),
  );
}

const inputTypes: ReadonlySet<string> = new Set<LiveInput['type']>(['mouse', 'wheel', 'key', 'touch', 'text']);

/**
 * Returns whether a viewer's message is input to the page, such as a key. Any other message is an order to the browser,
 * such as `newTab`.
 */
function isInput(wish: LiveInput | LiveOrder): wish is LiveInput {
  return inputTypes.has(wish.type);
}

/** Flow control for the frames of one viewer: limits the number of frames that the viewer has not confirmed yet. */
interface PictureWindow {
  /** Sends a frame if the limit allows it. Otherwise keeps the frame for later, in place of an older waiting frame. */
  offer(picture: LivePicture): void;
  /**
   * Records that the viewer has confirmed the frame `number` and all earlier frames. Ignores the number of a frame that
   * was not sent.
   */
  shown(number: number): void;
  /** Returns whether a frame would be sent at once. */
  hasRoom(): boolean;
}

/** Length of the header before the JPEG: frame number (4 bytes), width (2) and height (2) of the page, big endian. */
const headBytes = 8;
const sideMax = 0xffff;

/**
 * Creates a flow control with at most `unshownMax` unconfirmed frames. Slow viewers receive fewer frames, and always
 * the newest frame.
 */
export function createPictureWindow(unshownMax: number, send: (message: Uint8Array) => void): PictureWindow {
  let [lastSent, lastShown] = [0, 0];
  let waiting: LivePicture | null = null;
  const hasRoom = (): boolean => lastSent - lastShown < unshownMax;
  const flush = (): void => {
    if (waiting === null || !hasRoom()) return;
    lastSent += 1;
    send(getMessage(lastSent, waiting));
    waiting = null;
  };
  return {
    offer(picture) {
      waiting = picture;
      flush();
    },
    shown(number) {
      if (number > lastSent) return;
      lastShown = Math.max(lastShown, number);
      flush();
    },
    hasRoom,
  };
}

function getMessage(number: number, { jpeg, width, height }: LivePicture): Uint8Array {
  const message = Buffer.allocUnsafe(headBytes + jpeg.length);
  message.writeUInt32BE(number, 0);
  message.writeUInt16BE(Math.min(width, sideMax), 4);
  message.writeUInt16BE(Math.min(height, sideMax), 6);
  message.set(jpeg, headBytes);
  return message;
}

/** A type guard for untrusted values. */
type Guard<T> = (value: unknown) => value is T;

/** The type of an object whose members satisfy guards. */
type Guarded<Guards extends Readonly<Record<string, Guard<unknown>>>> = {
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

/** Returns a guard that accepts only the given strings. */
function createWordGuard<const Word extends string>(words: readonly Word[]): Guard<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** Returns whether a value is a boolean. */
function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** Returns a guard for arrays of at most `most` objects whose members all pass the given guards. */
function createListGuard<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  guards: Guards,
  most: number,
): Guard<Guarded<Guards>[]> {
  return (value): value is Guarded<Guards>[] =>
    Array.isArray(value) &&
    value.length <= most &&
    value.every((one) => isJsonObject(one) && pick(one, guards) !== null);
}

/** Copies the members that have a guard from an object. Returns null when a member fails its guard. */
function pick<Guards extends Readonly<Record<string, Guard<unknown>>>>(
  object: JsonObject,
  guards: Guards,
): Guarded<Guards> | null {
  const entries = Object.entries(guards).map(([name, guard]) => [name, object[name], guard(object[name])] as const);
  if (!entries.every(([, , isFine]) => isFine)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has just been found to be of its kind
  return Object.fromEntries(entries) as Guarded<Guards>;
}

/** Range of coordinates, larger than any page. */
const place = numberWithin(-100_000, 100_000);
const modifiers = integerWithin(0, 15);
const point = { x: place, y: place, modifiers };
const fingers = createListGuard({ id: integerWithin(0, 2 ** 31 - 1), x: place, y: place }, 10);
const word = textUpTo(64);
const text = textUpTo(500_000);

const wishes = {
  ack: { picture: integerWithin(0, 2 ** 32 - 1) },
  mouse: {
    ...point,
    action: createWordGuard(['move', 'down', 'up']),
    button: createWordGuard(['none', 'left', 'middle', 'right', 'back', 'forward']),
    buttons: integerWithin(0, 31),
    clicks: integerWithin(0, 3),
  },
  wheel: { ...point, deltaX: place, deltaY: place },
  key: {
    action: createWordGuard(['down', 'up']),
    key: word,
    code: word,
    keyCode: integerWithin(0, 255),
    location: integerWithin(0, 3),
    isRepeat: isFlag,
    modifiers,
    text: textUpTo(16),
  },
  touch: { action: createWordGuard(['start', 'move', 'end', 'cancel']), points: fingers, modifiers },
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

/**
 * Limits of the JSON nesting and the number of values in a viewer's message. The largest message is a touch with ten
 * fingers.
 */
const bounds = { depth: 4, values: 100 };

/**
 * Parses a message of a viewer. Returns null for a malformed message and for an unknown type or member value. Never
 * throws.
 */
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
