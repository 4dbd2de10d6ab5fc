import { describe, expect, it } from 'vitest';
import { readViewerMessage } from './connect-viewer.ts';

const mouse = { type: 'mouse', action: 'down', x: 1.5, y: 2, button: 'left', buttons: 1, clicks: 1, modifiers: 0 };

describe('what a page of the live view sends', () => {
  it.each([
    [mouse],
    [{ type: 'ack', picture: 3 }],
    [{ type: 'touch', action: 'move', points: [{ id: 0, x: 1, y: 2 }], modifiers: 0 }],
    [{ type: 'dialog', accept: true, text: '' }],
    [{ type: 'reload' }],
    [{ type: 'back' }],
    [{ type: 'newTab' }],
    [{ type: 'navigate', url: 'https://a.example/' }],
  ])('is read: %j', (wish) => {
    expect(readViewerMessage(Buffer.from(JSON.stringify({ ...wish, more: 'is left out' })))).toEqual(wish);
  });

  it.each([
    ['null'],
    ['{"type":"toString"}'],
    ['{"type":"__proto__"}'],
    [JSON.stringify({ ...mouse, x: '1' })],
    [JSON.stringify({ ...mouse, button: 'all' })],
    [JSON.stringify({ ...mouse, clicks: 4 })],
    [JSON.stringify({ ...mouse, modifiers: 1.5 })],
    ['{"type":"mouse"}'],
    ['{"type":"navigate","url":"file:///etc/passwd"}'],
    ['{"type":"navigate","url":"chrome://settings"}'],
    ['{"type":"navigate","url":"javascript:alert(1)"}'],
    ['{"type":"navigate","url":"a.example"}'],
    [JSON.stringify({ type: 'navigate', url: `https://a.example/${'a'.repeat(2_000)}` })],
    ['{"type":"wheel","x":1e999,"y":0,"deltaX":0,"deltaY":0,"modifiers":0}'],
    ['{"type":"resize","width":100,"height":400}'],
    ['{"type":"touch","action":"start","points":[{"id":-1,"x":0,"y":0}],"modifiers":0}'],
  ])('is nothing else: %s', (message) => {
    expect(readViewerMessage(Buffer.from(message))).toBeNull();
  });
});
