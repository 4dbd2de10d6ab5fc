import type { LiveInput, LiveOrder } from '#contract/live-messages.ts';
import { needed } from './elements.ts';
import { passKeyboard } from './keyboard.ts';
import type { Screen } from './screen.ts';
import { getModifiers } from './key-input.ts';

/** Dependencies of the tools for viewers with control. */
export interface ToolParts {
  readonly screen: Screen;
  readonly stage: HTMLElement;
  readonly send: (wish: LiveInput | LiveOrder) => void;
  /** Returns the view-only URL; null until it is known. */
  readonly viewOnlyAddress: () => string | null;
}

/** Receiver of the text that the watched page has copied, and of the loss of the connection. */
export interface Tools {
  copied(text: string): void;
  /** Forgets the keys that wait for copied text, because the text does not arrive any more. */
  disconnected(): void;
}

const resizeDelayMs = 200;
const sides = { min: 320, maxWidth: 6_144, maxHeight: 3_456 } as const;

/** Forwards all input of a viewer and activates the buttons. */
export function createTools({ screen, stage, send, viewOnlyAddress }: ToolParts): Tools {
  const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
  const field = needed('keys', HTMLTextAreaElement);
  const panel = createTextPanel((text) => send({ type: 'text', text }));
  const keys = createKeysAfterCopy();
  const copy = (then: () => void): void => {
    keys.add(then);
    send({ type: 'copy' });
  };
  const focus = (): void => field.focus({ preventScroll: true });
  const on = (id: string, pressed: () => void): void =>
    needed(id, HTMLButtonElement).addEventListener('click', pressed);

  passMouse({ screen, isMac, send }, focus);
  passTouch({ screen, isMac, send });
  passKeyboard({ field, exit: needed('copy', HTMLButtonElement), isMac, send, copy });
  on('keyboard', focus);
  on('copy', () => copy(() => undefined));
  on('text', () => panel.open());
  on('link', () => void panel.hand(viewOnlyAddress() ?? ''));
  makeFit(stage, send);
  return {
    copied(text) {
      void panel.hand(text);
      keys.press();
    },
    disconnected: () => keys.forget(),
  };
}

/** Keys for copy and cut that are pressed in the watched page once its selected text has arrived. */
interface KeysAfterCopy {
  add(press: () => void): void;
  press(): void;
  forget(): void;
}

/** Creates an empty list of waiting keys. */
export function createKeysAfterCopy(): KeysAfterCopy {
  const waiting: (() => void)[] = [];
  return {
    add: (press) => void waiting.push(press),
    press() {
      for (const press of waiting.splice(0)) press();
    },
    forget: () => void waiting.splice(0),
  };
}

/**
 * Activates the toggle button `fit`. While the button is on, resizes the page to the space that this window has for the
 * picture.
 */
function makeFit(stage: HTMLElement, send: (order: LiveOrder) => void): void {
  const button = needed('fit', HTMLButtonElement);
  let timer: number | undefined;
  const isOn = (): boolean => button.getAttribute('aria-pressed') === 'true';
  const resize = (): void => {
    const width = Math.min(Math.max(stage.clientWidth, sides.min), sides.maxWidth);
    const height = Math.min(Math.max(stage.clientHeight, sides.min), sides.maxHeight);
    if (isOn()) send({ type: 'resize', width, height });
  };
  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', String(!isOn()));
    resize();
  });
  new ResizeObserver(() => {
    clearTimeout(timer);
    timer = window.setTimeout(resize, resizeDelayMs);
  }).observe(stage);
}

/** Panel for text that is copied to or from the page. */
interface TextPanel {
  /** Puts text on the viewer's clipboard, else shows it for manual copying. */
  hand(text: string): Promise<void>;
  open(): void;
}

/** Creates the panel; `send` receives text that the viewer sends to the page. */
function createTextPanel(send: (text: string) => void): TextPanel {
  const panel = needed('panel', HTMLFormElement);
  const title = needed('panel-title', HTMLElement);
  const text = needed('panel-text', HTMLTextAreaElement);
  const sendButton = needed('panel-send', HTMLButtonElement);
  let opener: Element | null = null;
  const show = (heading: string, value: string, canSend: boolean): void => {
    opener = document.activeElement;
    title.textContent = heading;
    text.value = value;
    sendButton.hidden = !canSend;
    panel.hidden = false;
    text.focus();
    text.select();
  };
  const close = (): void => {
    panel.hidden = true;
    if (opener instanceof HTMLElement) opener.focus();
  };
  panel.addEventListener('submit', (event) => {
    event.preventDefault();
    if (text.value !== '') send(text.value);
    close();
  });
  panel.addEventListener('keydown', ({ key }) => key === 'Escape' && close());
  needed('panel-close', HTMLButtonElement).addEventListener('click', close);
  return {
    async hand(given) {
      if (given === '') return;
      try {
        await navigator.clipboard.writeText(given);
      } catch {
        // An embedded page may use the clipboard only with the permission of the embedding page.
        show('Copied text', given, false);
      }
    },
    open: () => show('Send text to the page', '', true),
  };
}

type Touch = LiveInput & { readonly type: 'touch' };

/**
 * Forwards touches. The style permits the viewer's browser to zoom and move the picture with two fingers, so that a
 * large page is usable on a phone. The browser then cancels the touches, and this cancellation is forwarded.
 */
function passTouch({ screen, isMac, send }: InputParts): void {
  const { canvas } = screen;
  const fingers = new Map<number, Touch['points'][number]>();
  const moves = oncePerFrame<Touch>((_before, after) => after, send);
  const touch = (event: PointerEvent, action: Touch['action']): Touch => ({
    type: 'touch',
    action,
    points: [...fingers.values()],
    modifiers: getModifiers(event, isMac),
  });
  const place = (event: PointerEvent): void => {
    // Touch identifiers can be large, but Chromium accepts only small identifiers, and at most ten touches.
    const taken = new Set(Array.from(fingers.values(), ({ id }) => id));
    const free = Array.from({ length: 10 }, (_, id) => id).find((id) => !taken.has(id)) ?? 0;
    const id = fingers.get(event.pointerId)?.id ?? free;
    fingers.set(event.pointerId, { id, ...screen.toPage(event.clientX, event.clientY) });
  };
  const on = (
    name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel',
    pass: (event: PointerEvent) => void,
  ) => canvas.addEventListener(name, (event) => event.pointerType === 'touch' && pass(event));

  on('pointerdown', (event) => {
    place(event);
    send(touch(event, 'start'));
  });
  on('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    place(event);
    moves.push(touch(event, 'move'));
  });
  on('pointerup', (event) => {
    moves.flush();
    fingers.delete(event.pointerId);
    send(touch(event, 'end'));
  });
  on('pointercancel', (event) => {
    moves.flush();
    fingers.clear();
    send(touch(event, 'cancel'));
  });
}

/** Dependencies of forwarding input. */
export interface InputParts {
  readonly screen: Screen;
  readonly isMac: boolean;
  readonly send: (input: LiveInput) => void;
}

type Mouse = LiveInput & { readonly type: 'mouse' };
type Wheel = LiveInput & { readonly type: 'wheel' };

const buttonNames = ['left', 'middle', 'right', 'back', 'forward'] as const;
const linePixels = 16;

/** Forwards mouse and pen; calls `pressed` when a button goes down. */
function passMouse({ screen, isMac, send }: InputParts, pressed: () => void): void {
  const { canvas } = screen;
  const countClick = createClickCounter();
  let clicks = 1;
  const moves = oncePerFrame<Mouse>((_before, after) => after, send);
  const wheels = oncePerFrame<Wheel>(
    (before, after) => ({ ...after, deltaX: before.deltaX + after.deltaX, deltaY: before.deltaY + after.deltaY }),
    send,
  );
  const mouse = (event: PointerEvent, action: Mouse['action']): Mouse => ({
    type: 'mouse',
    action,
    ...screen.toPage(event.clientX, event.clientY),
    button: action === 'move' ? heldButton(event.buttons) : (buttonNames[event.button] ?? 'none'),
    buttons: event.buttons & 31,
    clicks: action === 'move' ? 0 : clicks,
    modifiers: getModifiers(event, isMac),
  });
  const on = (name: 'pointerdown' | 'pointermove' | 'pointerup', pass: (event: PointerEvent) => void): void =>
    canvas.addEventListener(name, (event) => event.pointerType !== 'touch' && pass(event));

  on('pointermove', (event) => moves.push(mouse(event, 'move')));
  on('pointerdown', (event) => {
    event.preventDefault();
    // A drag that leaves the picture still belongs to the picture.
    canvas.setPointerCapture(event.pointerId);
    clicks = countClick({ button: event.button, x: event.clientX, y: event.clientY, timeMs: event.timeStamp });
    moves.flush();
    send(mouse(event, 'down'));
    pressed();
  });
  on('pointerup', (event) => {
    moves.flush();
    send(mouse(event, 'up'));
  });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  // Otherwise the viewer's browser would start dragging or scrolling.
  canvas.addEventListener('mousedown', (event) => event.preventDefault());
  canvas.addEventListener(
    'wheel',
    (event) => {
      // Control and the wheel zoom this page, as usual.
      if (event.ctrlKey) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : linePixels;
      const [deltaX, deltaY] = [event.deltaX * unit, event.deltaY * unit];
      const point = screen.toPage(event.clientX, event.clientY);
      wheels.push({ type: 'wheel', ...point, deltaX, deltaY, modifiers: getModifiers(event, isMac) });
    },
    { passive: false },
  );
}

function heldButton(buttons: number): Mouse['button'] {
  if (buttons & 1) return 'left';
  if (buttons & 2) return 'right';
  return buttons & 4 ? 'middle' : 'none';
}

/** One press of a mouse button. */
export interface Press {
  readonly button: number;
  readonly x: number;
  readonly y: number;
  readonly timeMs: number;
}

const doubleClickMs = 500;
const doubleClickPixels = 5;

/**
 * Creates a counter of consecutive presses. The counter returns 1 for a click, 2 for a double click, 3 for a triple
 * click, then 1 again.
 */
export function createClickCounter(): (press: Press) => number {
  let last: Press | null = null;
  let count = 0;
  return (press) => {
    count = last !== null && count < 3 && belongs(last, press) ? count + 1 : 1;
    last = press;
    return count;
  };
}

function belongs(last: Press, press: Press): boolean {
  const near = Math.abs(press.x - last.x) <= doubleClickPixels && Math.abs(press.y - last.y) <= doubleClickPixels;
  return press.button === last.button && near && press.timeMs - last.timeMs <= doubleClickMs;
}

/** A queue that merges values that arrive within one animation frame of this page. */
export interface PerFrame<T> {
  push(value: T): void;
  /** Passes the waiting value on at once. */
  flush(): void;
}

/**
 * Creates a queue that merges values and passes the result on once per animation frame. A moving mouse then sends at
 * most one message per frame.
 */
function oncePerFrame<T>(merge: (before: T, after: T) => T, pass: (value: T) => void): PerFrame<T> {
  let waiting: { readonly value: T } | null = null;
  const flush = (): void => {
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    pass(value);
  };
  return {
    push(value) {
      if (waiting === null) requestAnimationFrame(flush);
      waiting = { value: waiting === null ? value : merge(waiting.value, value) };
    },
    flush,
  };
}
