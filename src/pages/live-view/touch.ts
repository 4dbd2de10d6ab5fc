import type { LiveInput } from '#contract/live-messages.ts';
import { modifiersOf } from './modifiers.ts';
import type { InputParts } from './mouse.ts';
import { oncePerFrame } from './once-per-frame.ts';

type Touch = LiveInput & { readonly type: 'touch' };

/**
 * Passes on fingers. Two of them zoom and move the picture itself, which is how a large page can be used on a phone: the style
 * leaves that gesture to the viewer's browser, and what one finger had begun is then taken back.
 */
export function passTouch({ screen, isMac, send }: InputParts): void {
  const { canvas } = screen;
  const fingers = new Map<number, Touch['points'][number]>();
  const moves = oncePerFrame<Touch>((_before, after) => after, send);
  const touch = (event: PointerEvent, action: Touch['action']): Touch => ({
    type: 'touch',
    action,
    points: [...fingers.values()],
    modifiers: modifiersOf(event, isMac),
  });
  const place = (event: PointerEvent): void => {
    // Numbers of fingers can be large; Chromium wants small ones, and knows no more than ten.
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
