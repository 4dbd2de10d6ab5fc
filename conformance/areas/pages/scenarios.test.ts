import { expect, it } from 'vitest';
import { listOperations } from '../../core/list-operations.ts';
import { otherLists, standingKeys } from './scenarios.ts';
import { storedKeys } from './scenarios-storage.ts';

it('reads every documented list page by page, or gives a reason for its omission', () => {
  const read: readonly string[] = [...standingKeys, ...storedKeys, ...Object.keys(otherLists)];
  expect(read.toSorted()).toEqual(listOperations.map(({ operation }) => operation.key).toSorted());
});
