import type { LiveInput } from '#contract/live-messages.ts';

/** What one viewer holds down in a page. */
export interface HeldInput {
  /** Takes note of what is done. */
  note(input: LiveInput): void;
  /** What lets everything go that is held; it is not held any more then. */
  release(): LiveInput[];
}

type Mouse = LiveInput & { readonly type: 'mouse' };
type Key = LiveInput & { readonly type: 'key' };

/** Nothing held. A viewer who vanishes in the middle of a drag would else leave the page with a button down for good. */
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
