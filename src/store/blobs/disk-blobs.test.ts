import { expect, it } from 'vitest';
import { coalesce } from './disk-blobs.ts';

/**
 * Creates work whose calls stay pending until the test settles them. `begun` holds the calls in the order of their
 * start.
 */
function heldWork(): { readonly work: () => Promise<void>; readonly begun: PromiseWithResolvers<void>[] } {
  const begun: PromiseWithResolvers<void>[] = [];
  const work = (): Promise<void> => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    return one.promise;
  };
  return { work, begun };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it('runs the work once more for all calls that arrive during it, after its end', async () => {
  const { work, begun } = heldWork();
  const sync = coalesce(work);
  const told: string[] = [];
  const ask = (name: string): Promise<void> => sync().then(() => void told.push(name));
  const first = ask('first');
  await turn();
  const others = [ask('second'), ask('third')];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await first;
  await turn();
  expect(told).toEqual(['first']);
  expect(begun).toHaveLength(2);
  begun[1]?.resolve();
  await Promise.all(others);
  expect(told).toEqual(['first', 'second', 'third']);
  void sync();
  await turn();
  expect(begun).toHaveLength(3);
});

it('rejects only the calls that share the failed work', async () => {
  const { work, begun } = heldWork();
  const sync = coalesce(work);
  const first = sync();
  await turn();
  const second = sync();
  begun[0]?.reject(new Error('no disk'));
  await expect(first).rejects.toThrow('no disk');
  await turn();
  begun[1]?.resolve();
  await second;
});
