import type { LiveInput } from '#contract/live-messages.ts';

/** Forwarded members of a keyboard event. */
export interface KeyPress extends HeldKeys {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly location: number;
  readonly repeat: boolean;
  /** Whether the AltGraph key is held. Some systems report AltGraph as Control and Alt. */
  readonly isAltGraph: boolean;
}

type Key = LiveInput & { readonly type: 'key' };

/**
 * Converts a key event to an input for the watched page. While AltGraph is held, omits the modifiers Control and Alt,
 * because some systems report AltGraph as both.
 */
export function keyInput(press: KeyPress, action: Key['action'], isMac: boolean): Key {
  const modifiers = press.isAltGraph
    ? getModifiers({ ...press, altKey: false, ctrlKey: false }, isMac)
    : getModifiers(press, isMac);
  const { key, code, keyCode, location, repeat: isRepeat } = press;
  const text = action === 'down' && (modifiers & 7) === 0 ? getText(key) : '';
  return { type: 'key', action, key, code, keyCode: keyCode & 255, location, isRepeat, modifiers, text };
}

function getText(key: string): string {
  if (key === 'Enter') return '\r';
  return Array.from(key).length === 1 ? key : '';
}

/** The modifier keys of an event. */
export interface HeldKeys {
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * Returns the modifier keys as a bit mask: 1 Alt, 2 Control, 4 Meta, 8 Shift. On a Mac, Command becomes Control,
 * because the watched browser runs on Linux.
 */
export function getModifiers({ altKey, ctrlKey, metaKey, shiftKey }: HeldKeys, isMac: boolean): number {
  const control = ctrlKey || (isMac && metaKey);
  const meta = metaKey && !isMac;
  return (altKey ? 1 : 0) + (control ? 2 : 0) + (meta ? 4 : 0) + (shiftKey ? 8 : 0);
}
