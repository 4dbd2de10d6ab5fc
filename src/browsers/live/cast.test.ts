import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Cast, createCast } from './cast.ts';

let commands: string[];
let cast: Cast;

beforeEach(() => {
  vi.useFakeTimers();
  commands = [];
  cast = createCast({
    command: (session, method) => void commands.push(`${session} ${method}`),
    show: () => undefined,
    isWanted: () => true,
  });
  cast.follow('front');
  commands.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

it('asks for the page as it is once it was loaded, also where no picture of it has come', () => {
  cast.loaded('front');
  vi.advanceTimersByTime(1_000);
  expect(commands).toEqual(['front Page.stopScreencast', 'front Page.startScreencast']);
});

it('asks for none of a page that is not shown, nor of one that has left the front meanwhile', () => {
  cast.loaded('behind');
  cast.loaded('front');
  cast.follow(null);
  commands.length = 0;
  vi.advanceTimersByTime(1_000);
  expect(commands).toEqual([]);
});
