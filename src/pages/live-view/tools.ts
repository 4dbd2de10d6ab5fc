import type { LiveInput, LiveOrder } from '#contract/live-messages.ts';
import { createTextPanel } from './clipboard.ts';
import { needed } from './elements.ts';
import { passKeyboard } from './keyboard.ts';
import { passMouse } from './mouse.ts';
import type { Screen } from './screen.ts';
import { passTouch } from './touch.ts';

/** What the tools of an interactive viewer work with. */
export interface ToolParts {
  readonly screen: Screen;
  readonly stage: HTMLElement;
  readonly send: (wish: LiveInput | LiveOrder) => void;
  /** The address at which the same can be watched only; null as long as it is not known. */
  readonly viewOnlyAddress: () => string | null;
}

/** What comes back for an interactive viewer. */
export interface Tools {
  copied(text: string): void;
}

const RESIZE_DELAY_MS = 200;
const SIDES = { min: 320, maxWidth: 6_144, maxHeight: 3_456 } as const;

/** Passes on everything that a viewer does to the picture, and makes the buttons work. */
export function createTools({ screen, stage, send, viewOnlyAddress }: ToolParts): Tools {
  const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
  const field = needed('keys', HTMLTextAreaElement);
  const panel = createTextPanel((text) => send({ type: 'text', text }));
  const afterCopy: (() => void)[] = [];
  const copy = (then: () => void): void => {
    afterCopy.push(then);
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
      for (const then of afterCopy.splice(0)) then();
    },
  };
}

/** While the button is pressed the page has the size of this window. */
function makeFit(stage: HTMLElement, send: (order: LiveOrder) => void): void {
  const button = needed('fit', HTMLButtonElement);
  let timer: number | undefined;
  const isOn = (): boolean => button.getAttribute('aria-pressed') === 'true';
  const resize = (): void => {
    const width = Math.min(Math.max(stage.clientWidth, SIDES.min), SIDES.maxWidth);
    const height = Math.min(Math.max(stage.clientHeight, SIDES.min), SIDES.maxHeight);
    if (isOn()) send({ type: 'resize', width, height });
  };
  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', String(!isOn()));
    resize();
  });
  new ResizeObserver(() => {
    clearTimeout(timer);
    timer = window.setTimeout(resize, RESIZE_DELAY_MS);
  }).observe(stage);
}
