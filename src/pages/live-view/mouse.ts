import type { LiveInput } from '#contract/live-messages.ts';
import { getModifiers } from './key-input.ts';
import { oncePerFrame } from './once-per-frame.ts';
import type { Screen } from './screen.ts';

/** Dependencies of forwarding input. */
export interface InputParts {
  readonly screen: Screen;
  readonly isMac: boolean;
  readonly send: (input: LiveInput) => void;
}

type Mouse = LiveInput & { readonly type: 'mouse' };
type Wheel = LiveInput & { readonly type: 'wheel' };

const BUTTONS = ['left', 'middle', 'right', 'back', 'forward'] as const;
const LINE_PIXELS = 16;

/** Forwards mouse and pen; calls `pressed` when a button goes down. */
export function passMouse({ screen, isMac, send }: InputParts, pressed: () => void): void {
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
    button: action === 'move' ? heldButton(event.buttons) : (BUTTONS[event.button] ?? 'none'),
    buttons: event.buttons & 31,
    clicks: action === 'move' ? 0 : clicks,
    modifiers: getModifiers(event, isMac),
  });
  const on = (name: 'pointerdown' | 'pointermove' | 'pointerup', pass: (event: PointerEvent) => void): void =>
    canvas.addEventListener(name, (event) => event.pointerType !== 'touch' && pass(event));

  on('pointermove', (event) => moves.push(mouse(event, 'move')));
  on('pointerdown', (event) => {
    event.preventDefault();
    // A drag that leaves the picture still belongs to it.
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
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PIXELS;
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

/** One press of a button. */
export interface Press {
  readonly button: number;
  readonly x: number;
  readonly y: number;
  readonly timeMs: number;
}

const DOUBLE_CLICK_MS = 500;
const DOUBLE_CLICK_PIXELS = 5;

/** Counts consecutive presses: 1 for a click, 2 for a double click, 3 for a triple click, then from 1 again. */
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
  const near = Math.abs(press.x - last.x) <= DOUBLE_CLICK_PIXELS && Math.abs(press.y - last.y) <= DOUBLE_CLICK_PIXELS;
  return press.button === last.button && near && press.timeMs - last.timeMs <= DOUBLE_CLICK_MS;
}
