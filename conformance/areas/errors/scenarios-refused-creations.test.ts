import { expect, it } from 'vitest';
import { allOperations } from '../../core/operations.ts';
import { creations, otherCreations } from './scenarios-refused-creations.ts';

it('every operation that creates something is refused between two looks, or has a reason', () => {
  const creating = allOperations.filter(({ id }) => id.startsWith('create')).map(({ key }) => key);
  const known = [...creations.map(({ operation }) => operation), ...Object.keys(otherCreations)];
  expect(known.toSorted()).toEqual(creating.toSorted());
});
