import type { WebSocket } from 'ws';
import type { LiveInput, LiveOrder, LiveReport, LiveWish } from '#contract/live-messages.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { readInTurns } from '../gateway/connect-client.ts';
import { shut } from '../gateway/sockets.ts';
import type { LivePicture, LiveSeat } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import type { LiveAccess, LiveLimits } from './live-access.ts';
import { readViewerMessage } from './read-command.ts';

/** A connection and its browser. */
export interface ViewerDeps {
  readonly socket: WebSocket;
  readonly access: LiveAccess;
  readonly limits: LiveLimits;
  readonly table: RuleBook['cdpPolicy'];
  readonly log: HostLog;
}

/** Connects a websocket to the live view of a browser until either ends. Never rejects. */
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

/** Ends the viewing with the connection, which may already be closed. */
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

/** Sends a message to a viewer; closes the connection of a viewer that does not read. */
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

/** Returns whether a message is input to the page; any other message is an order to the browser. */
function isInput(wish: LiveInput | LiveOrder): wish is LiveInput {
  return inputTypes.has(wish.type);
}

/** Frames that were sent to a viewer and are not confirmed yet. */
export interface PictureWindow {
  /** Sends a frame, or stores it in place of an older waiting one. */
  offer(picture: LivePicture): void;
  /** Confirms the frame of that number and all earlier ones. */
  shown(number: number): void;
  /** Returns whether a frame would be sent at once. */
  hasRoom(): boolean;
}

/** Bytes before the JPEG: frame number (4), width (2) and height (2) of the page, big endian. */
const HEAD_BYTES = 8;
const SIDE_MAX = 0xffff;

/**
 * Creates a window of at most `unshownMax` unconfirmed frames: slow viewers get fewer frames, and always the newest.
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
  const message = Buffer.allocUnsafe(HEAD_BYTES + jpeg.length);
  message.writeUInt32BE(number, 0);
  message.writeUInt16BE(Math.min(width, SIDE_MAX), 4);
  message.writeUInt16BE(Math.min(height, SIDE_MAX), 6);
  message.set(jpeg, HEAD_BYTES);
  return message;
}
