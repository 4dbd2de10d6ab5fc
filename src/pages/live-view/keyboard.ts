import type { LiveInput } from '#contract/live-messages.ts';
import { type KeyPress, keyInput } from './key-input.ts';

/** Dependencies of forwarding the keyboard. */
export interface KeyboardParts {
  /** An invisible field that has the focus while the viewer types; it opens the keyboard of a phone. */
  readonly field: HTMLTextAreaElement;
  /** Element that receives the focus when the viewer presses Shift+Escape to stop typing into the remote page. */
  readonly exit: HTMLElement;
  readonly isMac: boolean;
  readonly send: (input: LiveInput) => void;
  /** Called when the viewer presses the key for copy or cut. `then` sends this key to the watched page. */
  readonly copy: (then: () => void) => void;
}

/** Content of the field: a phone reports a deletion only when there is text to delete. */
const filling = '\u200b';

/** Forwards keys, input method text and pasted text. */
export function passKeyboard({ field, exit, isMac, send, copy }: KeyboardParts): void {
  const held = new Map<string, KeyPress>();
  const press = (key: KeyPress, action: 'down' | 'up'): void => {
    if (action === 'down') held.set(key.code, key);
    else held.delete(key.code);
    send(keyInput(key, action, isMac));
  };
  const tap = (key: KeyPress): void => {
    press(key, 'down');
    press(key, 'up');
  };
  const clear = (): void => {
    field.value = filling;
    field.setSelectionRange(1, 1);
  };
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || event.keyCode === composing) return;
    if (event.key === 'Escape' && event.shiftKey) {
      event.preventDefault();
      return exit.focus();
    }
    const chord = getChord(event, isMac);
    // The viewer's browser pastes into the field, whose event is handled below.
    if (chord === 'v' || (isMac && event.key === 'Meta')) return;
    event.preventDefault();
    const key = getPress(event);
    if (chord === 'c' || chord === 'x') return copy(() => tap(key));
    press(key, 'down');
  });
  field.addEventListener('keyup', (event) => {
    const key = held.get(event.code);
    if (key !== undefined) press({ ...getPress(event), key: event.key }, 'up');
  });
  field.addEventListener('paste', (event) => {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text !== '') send({ type: 'text', text });
  });
  field.addEventListener('compositionend', ({ data }) => {
    if (data !== '') send({ type: 'text', text: data });
    clear();
  });
  field.addEventListener('input', (event) => {
    if (!(event instanceof InputEvent) || event.isComposing || event.inputType.includes('Composition')) return;
    if (event.inputType.startsWith('delete')) tap(backspace);
    else if (event.inputType === 'insertLineBreak') tap(enter);
    else if (event.data !== null && event.data !== '') send({ type: 'text', text: event.data });
    clear();
  });
  field.addEventListener('focus', clear);
  // A key that is released elsewhere would stay pressed in the page.
  field.addEventListener('blur', () => {
    for (const key of held.values()) press(key, 'up');
  });
}

/** Key code of a key that an input method handles. */
const composing = 229;
const noModifiers = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, isAltGraph: false };
const plain = { ...noModifiers, location: 0, repeat: false };
const backspace: KeyPress = { ...plain, key: 'Backspace', code: 'Backspace', keyCode: 8 };
const enter: KeyPress = { ...plain, key: 'Enter', code: 'Enter', keyCode: 13 };

/** Returns the key that is pressed with Control (Command on a Mac) and without Alt, in lower case; otherwise empty. */
function getChord({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, isMac: boolean): string {
  return (isMac ? metaKey : ctrlKey) && !altKey ? key.toLowerCase() : '';
}

function getPress(event: KeyboardEvent): KeyPress {
  const { key, code, keyCode, location, repeat, altKey, ctrlKey, metaKey, shiftKey } = event;
  const isAltGraph = event.getModifierState('AltGraph');
  return { key, code, keyCode, location, repeat, altKey, ctrlKey, metaKey, shiftKey, isAltGraph };
}
