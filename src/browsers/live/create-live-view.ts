import type { LiveInput } from '#contract/live-messages.ts';
import type { JsonObject } from '#lib/json.ts';
import type { DialogWatch } from '../tab/dialogs.ts';
import type { LiveSeat, LiveViewer } from './live-viewer.ts';
import { openStage, type Stage } from './open-stage.ts';
import type { StageDeps } from './tabs.ts';

/** Dependencies of a live view. */
export interface LiveViewDeps extends StageDeps {
  readonly dialogs: Pick<DialogWatch, 'join'>;
}

/** Live view of one browser for all its viewers. */
export interface LiveView {
  /** Adds a viewer; rejects when the browser has ended. */
  watch(viewer: LiveViewer): Promise<LiveSeat>;
  /** Notes that a client brought a tab to the front. */
  fronted(id: string): void;
}

/** Creates the live view of a browser. It observes the browser's tabs only while at least one viewer is connected. */
export function createLiveView(deps: LiveViewDeps): LiveView {
  const viewers = new Set<LiveViewer>();
  let stage: Stage | null = null;
  let queue: Promise<void> = Promise.resolve();

  const listener = {
    picture: (picture: Parameters<LiveViewer['picture']>[0]) => viewers.forEach((viewer) => viewer.picture(picture)),
    scene: (scene: Parameters<LiveViewer['scene']>[0]) => viewers.forEach((viewer) => viewer.scene(scene)),
    isWanted: () => [...viewers].some((viewer) => viewer.wantsPicture()),
  };
  const adjust = async (): Promise<void> => {
    if (viewers.size > 0) stage ??= await openStage(deps, listener);
    else if (stage !== null) {
      const left = stage;
      stage = null;
      await left.close();
    }
  };
  /**
   * Opens the stage, which observes the tabs, for the first viewer, or closes the stage after the last viewer. Waits
   * for earlier calls, so that opening and closing do not overlap.
   */
  const inTurn = (): Promise<void> => {
    const turn = queue.then(adjust);
    // A failure is reported to the caller of `inTurn`; the next change tries again.
    queue = turn.catch(() => undefined);
    return turn;
  };
  return {
    async watch(viewer) {
      const leaveDialogs = viewer.answersDialogs ? deps.dialogs.join() : () => undefined;
      const leave = async (): Promise<void> => {
        leaveDialogs();
        viewers.delete(viewer);
        await inTurn();
      };
      viewers.add(viewer);
      try {
        await inTurn();
      } catch (error) {
        leaveDialogs();
        viewers.delete(viewer);
        throw error;
      }
      welcome(viewer, stage);
      return createSeat(() => stage, leave);
    },
    fronted: (id) => stage?.toFront(id),
  };
}

/** Sends the current tabs, dialog and frame to a new viewer. */
function welcome(viewer: LiveViewer, stage: Stage | null): void {
  if (stage === null) return;
  viewer.scene(stage.scene());
  const picture = stage.picture();
  if (picture !== null) viewer.picture(picture);
}

/**
 * Maximum number of inputs per viewer that the page has not yet answered. Further inputs are dropped, because the page
 * does not respond.
 */
const unansweredMax = 64;
/**
 * Number of unanswered inputs at which mouse and touch moves are dropped. Later moves make the dropped ones
 * unnecessary.
 */
const unansweredMovesMax = 4;

function createSeat(stage: () => Stage | null, leave: () => Promise<void>): LiveSeat {
  const held = createHeldInput();
  let heldIn: string | null = null;
  let unanswered = 0;
  let isCopying = false;
  let left: Promise<void> | null = null;

  const send = (session: string, input: LiveInput): void => {
    const { method, params } = getCommand(input);
    unanswered += 1;
    void stage()
      ?.ask(session, method, params)
      .then(() => void (unanswered -= 1));
  };
  const letGo = (): void => {
    if (heldIn !== null) for (const input of held.release()) send(heldIn, input);
    heldIn = null;
  };
  return {
    wanted: () => stage()?.wanted(),
    input(input) {
      const tab = stage()?.active();
      if (left !== null || tab?.session == null || tab.dialog !== null) return;
      if (heldIn !== tab.session) letGo();
      if (unanswered >= (isMove(input) ? unansweredMovesMax : unansweredMax)) return;
      heldIn = tab.session;
      held.note(input);
      send(tab.session, input);
    },
    async order(order) {
      if (left !== null || stage() === null) return null;
      if (order.type !== 'copy') return stage()?.order(order) ?? null;
      if (isCopying) return null;
      isCopying = true;
      const text = (await stage()?.order(order)) ?? null;
      isCopying = false;
      return text;
    },
    leave() {
      if (left === null) letGo();
      left ??= leave();
      return left;
    },
  };
}

function isMove(input: LiveInput): boolean {
  return (input.type === 'mouse' || input.type === 'touch') && input.action === 'move';
}

/** One DevTools command for a page. */
interface PageCommand {
  readonly method: string;
  readonly params: JsonObject;
}

/** Converts an input of a viewer to a DevTools command for the page. */
function getCommand(input: LiveInput): PageCommand {
  switch (input.type) {
    case 'mouse':
      return mouseCommand(input);
    case 'wheel': {
      const { x, y, deltaX, deltaY, modifiers } = input;
      return { method: 'Input.dispatchMouseEvent', params: { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers } };
    }
    case 'key':
      return keyCommand(input);
    case 'touch':
      return touch(input);
    case 'text':
    default:
      return { method: 'Input.insertText', params: { text: input.text } };
  }
}

const mouseTypes = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const;

const touchTypes = { start: 'touchStart', move: 'touchMove', end: 'touchEnd', cancel: 'touchCancel' } as const;

function mouseCommand({
  action,
  x,
  y,
  button,
  buttons,
  clicks,
  modifiers,
}: LiveInput & { type: 'mouse' }): PageCommand {
  const params = { type: mouseTypes[action], x, y, button, buttons, clickCount: clicks, modifiers };
  return { method: 'Input.dispatchMouseEvent', params };
}

function keyCommand({
  action,
  key: name,
  code,
  keyCode,
  location,
  isRepeat,
  modifiers,
  text,
}: LiveInput & { type: 'key' }): PageCommand {
  const head = { key: name, code, windowsVirtualKeyCode: keyCode, nativeVirtualKeyCode: keyCode, modifiers, location };
  if (action === 'up') return { method: 'Input.dispatchKeyEvent', params: { type: 'keyUp', ...head } };
  const kind = text === '' ? { type: 'rawKeyDown' } : { type: 'keyDown', text, unmodifiedText: text };
  return { method: 'Input.dispatchKeyEvent', params: { ...kind, ...head, autoRepeat: isRepeat } };
}

/**
 * Converts a touch input to a DevTools command. Its points are the fingers that still touch the page; none for
 * `cancel`. Chromium itself finds out which finger was lifted.
 */
function touch({ action, points, modifiers }: LiveInput & { type: 'touch' }): PageCommand {
  const touchPoints = action === 'cancel' ? [] : points.map(({ id, x, y }) => ({ id, x, y }));
  return { method: 'Input.dispatchTouchEvent', params: { type: touchTypes[action], touchPoints, modifiers } };
}

/** Record of the mouse buttons, keys and touches that a viewer holds down in a page. */
export interface HeldInput {
  /** Records an input. */
  note(input: LiveInput): void;
  /** Returns inputs that release all held buttons, keys and touches, and clears the record. */
  release(): LiveInput[];
}

type Mouse = LiveInput & { readonly type: 'mouse' };
type Key = LiveInput & { readonly type: 'key' };

/**
 * Creates an empty record. It allows the release of held buttons and keys when a viewer leaves, for example in the
 * middle of a drag.
 */
export function createHeldInput(): HeldInput {
  const buttons = new Map<Mouse['button'], Mouse>();
  const keys = new Map<string, Key>();
  let isTouching = false;
  return {
    note(input) {
      if (input.type === 'mouse' && input.action === 'down') buttons.set(input.button, input);
      if (input.type === 'mouse' && input.action === 'up') buttons.delete(input.button);
      if (input.type === 'key' && input.action === 'down') keys.set(input.code, input);
      if (input.type === 'key' && input.action === 'up') keys.delete(input.code);
      if (input.type === 'touch') isTouching = input.points.length > 0;
    },
    release() {
      const held: LiveInput[] = [
        ...Array.from(buttons.values(), (mouse) => ({ ...mouse, action: 'up' as const, buttons: 0 })),
        ...Array.from(keys.values(), (key) => ({ ...key, action: 'up' as const, modifiers: 0 })),
        ...(isTouching ? [{ type: 'touch', action: 'cancel', points: [], modifiers: 0 } as const] : []),
      ];
      buttons.clear();
      keys.clear();
      isTouching = false;
      return held;
    },
  };
}
