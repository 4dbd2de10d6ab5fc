import type { JsonObject } from '#lib/json.ts';
import type { LiveInput } from '#contract/live-messages.ts';

/** One DevTools command for a page. */
export interface PageCommand {
  readonly method: string;
  readonly params: JsonObject;
}

/** The command that does to a page what a person has done to its picture. */
export function commandOf(input: LiveInput): PageCommand {
  switch (input.type) {
    case 'mouse':
      return mouse(input);
    case 'wheel': {
      const { x, y, deltaX, deltaY, modifiers } = input;
      return { method: 'Input.dispatchMouseEvent', params: { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers } };
    }
    case 'key':
      return key(input);
    case 'touch':
      return touch(input);
    case 'text':
    default:
      return { method: 'Input.insertText', params: { text: input.text } };
  }
}

const MOUSE_TYPES = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const;
const TOUCH_TYPES = { start: 'touchStart', move: 'touchMove', end: 'touchEnd', cancel: 'touchCancel' } as const;

function mouse({ action, x, y, button, buttons, clicks, modifiers }: LiveInput & { type: 'mouse' }): PageCommand {
  const params = { type: MOUSE_TYPES[action], x, y, button, buttons, clickCount: clicks, modifiers };
  return { method: 'Input.dispatchMouseEvent', params };
}

function key({
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

/** Chromium wants no points for the end of a touch; which finger left it finds out by itself. */
function touch({ action, points, modifiers }: LiveInput & { type: 'touch' }): PageCommand {
  const touchPoints = action === 'cancel' ? [] : points.map(({ id, x, y }) => ({ id, x, y }));
  return { method: 'Input.dispatchTouchEvent', params: { type: TOUCH_TYPES[action], touchPoints, modifiers } };
}
