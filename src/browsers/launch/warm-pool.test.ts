import { expect, test } from 'vitest';
import { createRecordingLog } from '../testing/recording-log.ts';
import { createWarmPool, type WarmPool } from './warm-launches.ts';

interface Kept {
  readonly name: number;
  readonly gone: PromiseWithResolvers<void>;
}

/** Creates a pool of simulated browsers with numbers as names. `ended` records the browsers that the pool has ended. */
function createPool(size: number, mayStart = async (): Promise<boolean> => true) {
  const log = createRecordingLog();
  const started: Kept[] = [];
  const ended: number[] = [];
  const faults: Error[] = [];
  const pool: WarmPool<Kept> = createWarmPool<Kept>({
    size,
    start: async () => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      const kept = { name: started.length, gone: Promise.withResolvers<void>() };
      started.push(kept);
      return kept;
    },
    gone: ({ gone }) => gone.promise,
    end: async ({ name }) => void ended.push(name),
    mayStart,
    log,
  });
  return { pool, started, ended, faults, log };
}

test('hands out what is ready once, oldest first, and starts what is missing', async () => {
  const { pool, started } = createPool(2);
  expect(pool.take()).toBeNull();
  pool.refill();
  await expect.poll(() => pool.ready).toBe(2);
  expect([pool.take()?.name, pool.take()?.name, pool.take()]).toEqual([0, 1, null]);
  pool.refill();
  pool.refill();
  await expect.poll(() => pool.ready).toBe(2);
  expect(started).toHaveLength(4);
  expect(pool.take()?.name).toBe(2);
  await pool.close();
});

test('ends unused browsers only', async () => {
  const { pool, ended } = createPool(3);
  pool.refill();
  await expect.poll(() => pool.ready).toBe(3);
  pool.take();
  await pool.close();
  expect(ended).toEqual([1, 2]);
  pool.refill();
  await pool.close();
  expect([pool.ready, ended]).toEqual([0, [1, 2]]);
});

test('forgets a browser that ended by itself, and starts another one only at the next launch', async () => {
  const { pool, started, ended } = createPool(1);
  pool.refill();
  await expect.poll(() => pool.ready).toBe(1);
  started[0]?.gone.resolve();
  await expect.poll(() => ended).toEqual([0]);
  expect([pool.take(), started.length]).toEqual([null, 1]);
  await pool.close();
});

test('starts nothing while the machine has no time, and is closed at once all the same', async () => {
  const { pool, started } = createPool(1, async () => false);
  pool.refill();
  await pool.close();
  expect(started).toEqual([]);
});

test('reports a start that fails, and tries again when it is asked', async () => {
  const { pool, faults, log } = createPool(1);
  faults.push(new Error('no room'));
  pool.refill();
  await expect.poll(() => log.warnings).toEqual(['no browser could be started to be kept ready']);
  pool.refill();
  await expect.poll(() => pool.ready).toBe(1);
  await pool.close();
});
