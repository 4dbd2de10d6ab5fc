import { expect, test } from 'vitest';
import { createTurnstile } from './turnstile.ts';

test('lets so many in at once, in the order of arrival, and goes on after a failure', async () => {
  const turnstile = createTurnstile(2);
  const started: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<number>());
  const works = gates.map((gate, index) =>
    turnstile(() => {
      started.push(index);
      return gate.promise;
    }),
  );
  const results = Promise.allSettled(works);
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  gates[1]?.reject(new Error('failed'));
  await expect(works[1]).rejects.toThrow('failed');
  expect(started).toEqual([0, 1, 2]);
  for (const index of [0, 2, 3]) gates[index]?.resolve(index);
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(started).toEqual([0, 1, 2, 3]);
});
