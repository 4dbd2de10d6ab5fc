import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import type { Database } from '#store/database.ts';
import { openDatabase } from '#store/open-database.ts';
import { inTransaction } from '#store/transaction.ts';
import { createInactivityWatch } from './inactivity.ts';
import type { EngineState } from './engine-deps.ts';

const inactivityMs = 900_000;
const usedAtMs = 5_000;

let db: Database;
/** Times of the pending timers. */
let armed: Set<number>;
/** Times of all timers that were ever set, cancelled timers included. */
let history: number[];
/** Number of searches of the database for the next due session. */
let looks = 0;
let engine: EngineState;
beforeEach(async () => {
  db = await openDatabase(':memory:');
  armed = new Set();
  history = [];
  looks = 0;
  const parts = {
    db,
    clock: {
      now: () => usedAtMs,
      at(timeMs: number) {
        armed.add(timeMs);
        history.push(timeMs);
        return () => void armed.delete(timeMs);
      },
    },
    rules: defaultRules,
    limits: { inactivityMs },
    owners: { self: null },
    sandboxes: {
      ids() {
        looks += 1;
        return [];
      },
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a watch asks of an engine
  engine = parts as unknown as EngineState;
});
afterEach(() => db.destroy());

it('starts no sweep when a session is used, because no session times out before its time', async () => {
  const watch = createInactivityWatch();
  await watch.rearm(engine, usedAtMs);
  expect([...armed]).toEqual([usedAtMs + inactivityMs]);
  await watch.rearm(engine, usedAtMs + 1);
  expect([...armed]).toEqual([usedAtMs + inactivityMs]);
  await watch.rearm(engine, usedAtMs - 1);
  expect([...armed]).toEqual([usedAtMs - 1 + inactivityMs]);
  expect(looks).toBe(0);
});

it('sweeps after an unknown use, and sets no timer without a due session', async () => {
  const watch = createInactivityWatch();
  await watch.rearm(engine, usedAtMs);
  await watch.rearm(engine);
  expect([looks, armed.size]).toEqual([1, 0]);
});

it('remembers a session that is used during a sweep, even if the sweep fails', async () => {
  const watch = createInactivityWatch();
  let during: Promise<void>[] = [];
  await inTransaction(
    db,
    async () => {
      const first = watch.rearm(engine);
      await watch.rearm(engine, usedAtMs);
      during = [first, watch.rearm(engine)];
    },
    { of: 'everything' },
  );
  await Promise.all(during);
  // The use sets a timer, and the check that began before the use sets it again. The check that began after the use
  // finds no due session and sets no timer.
  expect(history).toEqual([usedAtMs + inactivityMs, usedAtMs + inactivityMs]);
  expect([...armed]).toEqual([]);
});

it('sets no timer when it is closed', async () => {
  const watch = createInactivityWatch();
  await watch.rearm(engine, usedAtMs);
  watch.close();
  await watch.rearm(engine, usedAtMs - 1);
  expect(armed.size).toBe(0);
});
