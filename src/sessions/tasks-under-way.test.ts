import { expect, it } from 'vitest';
import { createRunningTasks } from './running-tasks.ts';

const never = new AbortController().signal;

async function isSettled(work: Promise<void>): Promise<boolean> {
  return Promise.race([work.then(() => true), new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);
}

it('without tasks it has finished at once', async () => {
  expect(await isSettled(createRunningTasks().finish(never))).toBe(true);
});

it('finishes with the last task, and not with one before', async () => {
  const tasks = createRunningTasks();
  const [first, second] = [tasks.begin(), tasks.begin()];
  const finished = tasks.finish(never);
  first[Symbol.dispose]();
  expect([tasks.count, await isSettled(finished)]).toEqual([1, false]);
  second[Symbol.dispose]();
  expect([tasks.count, await isSettled(finished)]).toEqual([0, true]);
});

it('tasks that come and go before do not finish it', async () => {
  const tasks = createRunningTasks();
  tasks.begin()[Symbol.dispose]();
  const held = tasks.begin();
  expect([tasks.isFinishing, await isSettled(tasks.finish(never))]).toEqual([false, false]);
  held[Symbol.dispose]();
});

it('gives up with its signal', async () => {
  const tasks = createRunningTasks();
  const limit = new AbortController();
  using _held = tasks.begin();
  const finished = tasks.finish(limit.signal);
  expect(await isSettled(finished)).toBe(false);
  limit.abort();
  expect(await isSettled(finished)).toBe(true);
});

it('is kept from finishing while a task is dispatched, and lets none be dispatched afterwards', async () => {
  const tasks = createRunningTasks();
  const dispatching = tasks.hold() ?? expect.fail('it has not finished');
  const finished = tasks.finish(never);
  expect(await isSettled(finished)).toBe(false);
  const task = tasks.begin();
  dispatching[Symbol.dispose]();
  expect(await isSettled(finished)).toBe(false);
  tasks.hold()?.[Symbol.dispose]();
  expect(await isSettled(finished)).toBe(false);
  task[Symbol.dispose]();
  expect([await isSettled(finished), tasks.hold()]).toEqual([true, null]);
});

it('starts each task of a session after the previous task, and tasks of other sessions at once', async () => {
  const tasks = createRunningTasks();
  const order: string[] = [];
  const work = async (name: string, session: string, until: Promise<void>): Promise<void> => {
    using _ = await tasks.turn(session);
    order.push(`${name} begins`);
    await until;
    order.push(`${name} ends`);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = [work('one', 'a', promise), work('two', 'a', Promise.resolve()), work('other', 'b', Promise.resolve())];
  await all[2];
  expect(order).toEqual(['one begins', 'other begins', 'other ends']);
  expect(await isSettled(tasks.ended('a'))).toBe(false);
  resolve();
  await tasks.ended('a');
  await Promise.all(all);
  expect(order.slice(3)).toEqual(['one ends', 'two begins', 'two ends']);
  expect(await isSettled(tasks.ended('a'))).toBe(true);
});
