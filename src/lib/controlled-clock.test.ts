import { afterEach, expect, it, vi } from 'vitest';
import { createClock } from './clock.ts';

const hourMs = 3_600_000;

afterEach(() => {
  vi.restoreAllMocks();
});

it('slows down when the system time is set back, and agrees with it later', () => {
  let systemMs = 1_000_000_000;
  vi.spyOn(Date, 'now').mockImplementation(() => systemMs);
  const clock = createClock();
  const before = clock.now();
  systemMs -= hourMs;
  expect(clock.now()).toBe(before);
  systemMs += 1_000;
  expect(clock.now()).toBe(before + 500);
  systemMs += 2 * hourMs;
  expect(clock.now()).toBe(systemMs);
});

it('follows a jump forward, even while it is ahead', () => {
  const clock = createClock();
  clock.advance(-hourMs);
  const before = clock.now();
  clock.advance(hourMs);
  expect(clock.now()).toBeGreaterThanOrEqual(before + hourMs);
});

it('fires timers on time when the clock is set back', async () => {
  const clock = createClock();
  const fired = new Promise<void>((resolve) => clock.at(clock.now() + 50, resolve));
  clock.advance(-3 * hourMs);
  await fired;
  const later = new Promise<void>((resolve) => clock.at(clock.now() + 50, resolve));
  await later;
});

it('fires no timer early', async () => {
  const clock = createClock();
  const wanted = clock.now() + 30;
  const at = await new Promise<number>((resolve) => clock.at(wanted, () => resolve(clock.now())));
  expect(at).toBeGreaterThanOrEqual(wanted);
});
