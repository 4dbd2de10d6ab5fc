import { expect, it } from 'vitest';
import { placeholderFrame } from '#browsers/simulated/simulated-tab.ts';
import { jpegSize, videoSize } from './record-browser.ts';

it('finds the size of a JPEG behind its tables', () => {
  expect(jpegSize(placeholderFrame())).toEqual({ width: 16, height: 10 });
});

it.each([
  { name: 'nothing', bytes: [] },
  { name: 'a text', bytes: [...Buffer.from('no picture at all')] },
  { name: 'a JPEG that is cut off', bytes: [...placeholderFrame().subarray(0, 40)] },
])('finds none in $name', ({ bytes }) => {
  expect(jpegSize(Uint8Array.from(bytes))).toBeNull();
});

it.each([
  { given: { width: 1280, height: 800 }, want: { width: 1280, height: 800 } },
  { given: { width: 1281, height: 657 }, want: { width: 1280, height: 656 } },
  { given: { width: 6144, height: 3456 }, want: { width: 1920, height: 1080 } },
  { given: { width: 320, height: 3456 }, want: { width: 176, height: 1920 } },
  { given: { width: 1, height: 1 }, want: { width: 2, height: 2 } },
])('makes a video of $want of pictures of $given', ({ given, want }) => {
  expect(videoSize(given, 1920)).toEqual(want);
});
