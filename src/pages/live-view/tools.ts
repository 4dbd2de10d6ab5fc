import type { LiveInput, LiveOrder } from '#contract/live-messages.ts';
import { needed } from './elements.ts';
import { passKeyboard } from './keyboard.ts';
import { passMouse, type InputParts } from './mouse.ts';
import type { Screen } from './screen.ts';
import { getModifiers } from './key-input.ts';
import { oncePerFrame } from './once-per-frame.ts';

/** Dependencies of the tools for viewers with control. */
export interface ToolParts {
  readonly screen: Screen;
  readonly stage: HTMLElement;
  readonly send: (wish: LiveInput | LiveOrder) => void;
  /** Returns the URL for watching only; null until it is known. */
  readonly viewOnlyAddress: () => string | null;
}

/** Handles replies for viewers with control. */
export interface Tools {
  copied(text: string): void;
}

const RESIZE_DELAY_MS = 200;
const SIDES = { min: 320, maxWidth: 6_144, maxHeight: 3_456 } as const;

/** Forwards all input of a viewer and activates the buttons. */
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

/** Applies the size of this window to the page while the button is pressed. */
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

/** Panel for text that is copied to or from the page. */
interface TextPanel {
  /** Puts text on the viewer's clipboard, else shows it for manual copying. */
  hand(text: string): Promise<void>;
  open(): void;
}

/** Creates the panel; `send` receives text that the viewer gives to the page. */
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
 * Forwards touches. Two fingers zoom and move the picture in the viewer's browser (the style permits that gesture), so
 * a large page is usable on a phone; the touch of a single finger is cancelled then.
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
    // Touch identifiers can be large, but Chromium accepts small ones and at most ten.
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
