import { describe, expect, it } from 'vitest';
import type { LiveInput } from '#contract/live-messages.ts';
import { createHeldInput } from './create-live-view.ts';

const mouse: LiveInput = {
  type: 'mouse',
  action: 'down',
  x: 1,
  y: 2,
  button: 'left',
  buttons: 1,
  clicks: 1,
  modifiers: 8,
};
const key: LiveInput = {
  type: 'key',
  action: 'down',
  key: 'Shift',
  code: 'ShiftLeft',
  keyCode: 16,
  location: 1,
  isRepeat: false,
  modifiers: 8,
  text: '',
};
const touch: LiveInput = { type: 'touch', action: 'start', points: [{ id: 0, x: 1, y: 2 }], modifiers: 0 };

describe('what a viewer holds', () => {
  it('is let go when it leaves, once', () => {
    const held = createHeldInput();
    for (const input of [mouse, key, touch]) held.note(input);
    expect(held.release()).toEqual([
      { ...mouse, action: 'up', buttons: 0 },
      { ...key, action: 'up', modifiers: 0 },
      { type: 'touch', action: 'cancel', points: [], modifiers: 0 },
    ]);
    expect(held.release()).toEqual([]);
  });

  it('is nothing once it was let go', () => {
    const held = createHeldInput();
    for (const input of [mouse, key, touch]) held.note(input);
    held.note({ ...mouse, action: 'up' });
    held.note({ ...key, action: 'up' });
    held.note({ ...touch, action: 'end', points: [] });
    expect(held.release()).toEqual([]);
  });
});
