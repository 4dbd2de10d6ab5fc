import { expect, it } from 'vitest';
import { listOperations } from '../../core/list-operations.ts';
import { otherLists, standingKeys } from './scenarios.ts';
import { storedKeys } from './scenarios-storage.ts';

it('every list of the documents is read page by page, or has a reason', () => {
  const read: readonly string[] = [...standingKeys, ...storedKeys, ...Object.keys(otherLists)];
  expect(read.toSorted()).toEqual(listOperations.map(({ operation }) => operation.key).toSorted());
});
