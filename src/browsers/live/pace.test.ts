import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Pace, createPace } from './cast.ts';

let acknowledged: number[];
let refreshed: number;
let isWanted: boolean;
let pace: Pace;

beforeEach(() => {
  vi.useFakeTimers();
  [acknowledged, refreshed, isWanted] = [[], 0, true];
  pace = createPace({
    intervalMs: 33,
    settleMs: 150,
    isWanted: () => isWanted,
    acknowledge: (number) => acknowledged.push(number),
    refresh: () => void (refreshed += 1),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the pace of pictures', () => {
  it('acknowledges the first at once and the others one by one', () => {
    for (const number of [1, 2, 3]) pace.came(number);
    expect(acknowledged).toEqual([1]);
    vi.advanceTimersByTime(33);
    expect(acknowledged).toEqual([1, 2]);
    vi.advanceTimersByTime(33);
    expect(acknowledged).toEqual([1, 2, 3]);
  });

  it('acknowledges nothing while no viewer wants a frame', () => {
    isWanted = false;
    pace.came(1);
    vi.advanceTimersByTime(1_000);
    expect(acknowledged).toEqual([]);
    isWanted = true;
    pace.wanted();
    expect(acknowledged).toEqual([1]);
  });

  it('asks for a fresh picture once it is quiet, where some may have been dropped', () => {
    isWanted = false;
    for (const number of [1, 2, 3]) pace.came(number);
    isWanted = true;
    pace.wanted();
    vi.advanceTimersByTime(66);
    expect([acknowledged, refreshed]).toEqual([[1, 2, 3], 0]);
    vi.advanceTimersByTime(149);
    expect(refreshed).toBe(0);
    vi.advanceTimersByTime(1);
    expect(refreshed).toBe(1);
    pace.came(4);
    vi.advanceTimersByTime(1_000);
    expect([acknowledged, refreshed]).toEqual([[1, 2, 3, 4], 1]);
  });

  it('asks for a fresh picture where the last may be old, once it is quiet', () => {
    pace.came(1);
    pace.mayBeOld();
    vi.advanceTimersByTime(149);
    pace.mayBeOld();
    expect(refreshed).toBe(0);
    vi.advanceTimersByTime(1);
    expect([acknowledged, refreshed]).toEqual([[1], 1]);
    isWanted = false;
    pace.mayBeOld();
    vi.advanceTimersByTime(1_000);
    expect(refreshed).toBe(1);
    isWanted = true;
    pace.wanted();
    vi.advanceTimersByTime(150);
    expect(refreshed).toBe(2);
  });

  it('takes any two that follow each other closely for a sign of it', () => {
    pace.came(1);
    vi.advanceTimersByTime(149);
    pace.came(2);
    vi.advanceTimersByTime(1_000);
    expect(refreshed).toBe(1);
  });

  it('restarts the settle time with each frame and waits for a viewer that wants one', () => {
    isWanted = false;
    for (const number of [1, 2, 3]) pace.came(number);
    isWanted = true;
    pace.wanted();
    vi.advanceTimersByTime(166);
    pace.came(4);
    vi.advanceTimersByTime(140);
    expect(refreshed).toBe(0);
    isWanted = false;
    vi.advanceTimersByTime(1_000);
    expect(refreshed).toBe(0);
    isWanted = true;
    pace.wanted();
    vi.advanceTimersByTime(150);
    expect(refreshed).toBe(1);
  });

  it('asks for none where every picture was taken in time, nor when it begins anew', () => {
    pace.came(1);
    vi.advanceTimersByTime(1_000);
    expect(refreshed).toBe(0);
    isWanted = false;
    for (const number of [2, 3, 4]) pace.came(number);
    pace.reset();
    isWanted = true;
    pace.wanted();
    vi.advanceTimersByTime(1_000);
    expect([acknowledged, refreshed]).toEqual([[1], 0]);
  });
});
