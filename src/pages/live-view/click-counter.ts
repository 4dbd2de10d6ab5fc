/** One press of a button. */
export interface Press {
  readonly button: number;
  readonly x: number;
  readonly y: number;
  readonly timeMs: number;
}

const DOUBLE_CLICK_MS = 500;
const DOUBLE_CLICK_PIXELS = 5;

/** Counts presses that belong together: 1 for a click, 2 for a double one, 3 for a triple one, then from 1 again. */
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
