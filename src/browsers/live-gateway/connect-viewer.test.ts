import { describe, expect, it } from 'vitest';
import type { LivePicture } from '../host.ts';
import { createPictureWindow } from './connect-viewer.ts';

const picture = (byte: number): LivePicture => ({ jpeg: Uint8Array.of(byte), width: 1280, height: 720 });

describe('pictures on their way to a viewer', () => {
  it('are no more than it may leave unshown, and then the newest', () => {
    const sent: Uint8Array[] = [];
    const pictures = createPictureWindow(2, (message) => sent.push(message));
    for (const byte of [1, 2, 3, 4]) pictures.offer(picture(byte));
    expect(sent.map((message) => message.at(-1))).toEqual([1, 2]);
    expect(pictures.hasRoom()).toBe(false);
    pictures.shown(1);
    expect(sent.map((message) => message.at(-1))).toEqual([1, 2, 4]);
    pictures.shown(3);
    expect([sent.length, pictures.hasRoom()]).toEqual([3, true]);
  });

  it('begin with their number and the size of the page', () => {
    const sent: Uint8Array[] = [];
    createPictureWindow(2, (message) => sent.push(message)).offer({ ...picture(7), height: 70_000 });
    expect([...(sent[0] ?? [])]).toEqual([0, 0, 0, 1, 5, 0, 255, 255, 7]);
  });

  it('are not let through by numbers that were never sent, nor by old ones', () => {
    const sent: Uint8Array[] = [];
    const pictures = createPictureWindow(1, (message) => sent.push(message));
    pictures.offer(picture(1));
    pictures.shown(9);
    pictures.offer(picture(2));
    expect(sent).toHaveLength(1);
    pictures.shown(1);
    pictures.shown(0);
    pictures.offer(picture(3));
    expect(sent).toHaveLength(2);
  });
});
