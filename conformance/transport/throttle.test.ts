import { describe, expect, it } from 'vitest';
import { createThrottle } from './throttle.ts';

describe('a throttle', () => {
  it('runs no more than the given number of tasks at once, and all of them', async () => {
    const throttle = createThrottle({ ratePerSecond: 0, concurrency: 3 });
    let active = 0;
    let highest = 0;
    const task = async (): Promise<void> => {
      active += 1;
      highest = Math.max(highest, active);
      await new Promise((resolve) => setImmediate(resolve));
      active -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => throttle(task)));
    expect([active, highest]).toEqual([0, 3]);
  });

  it('gives the next free place to the task that comes first', async () => {
    const throttle = createThrottle({ ratePerSecond: 0, concurrency: 1 });
    const begun: string[] = [];
    const task = (name: string) => () => Promise.resolve(void begun.push(name));
    await Promise.all([throttle(task('one')), throttle(task('two')), throttle(task('three'), 'first')]);
    expect(begun).toEqual(['one', 'three', 'two']);
  });

  it('keeps the rate', async () => {
    const throttle = createThrottle({ ratePerSecond: 100, concurrency: 10 });
    const begin = performance.now();
    await Promise.all(Array.from({ length: 6 }, () => throttle(() => Promise.resolve())));
    expect(performance.now() - begin).toBeGreaterThanOrEqual(45);
  });

  it('gives its place back when a task fails', async () => {
    const throttle = createThrottle({ ratePerSecond: 0, concurrency: 1 });
    await expect(throttle(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(throttle(() => Promise.resolve('next'))).resolves.toBe('next');
  });
});
