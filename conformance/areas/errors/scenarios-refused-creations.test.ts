import { expect, it } from 'vitest';
import { allOperations } from '../../core/operations.ts';
import { creations, otherCreations } from './scenarios-refused-creations.ts';

it('tries every creating operation, or gives a reason for its omission', () => {
  const creating = allOperations.filter(({ id }) => id.startsWith('create')).map(({ key }) => key);
  const known = [...creations.map(({ operation }) => operation), ...Object.keys(otherCreations)];
  expect(known.toSorted()).toEqual(creating.toSorted());
});
