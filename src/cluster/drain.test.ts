import { expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { isNewWork } from './drain.ts';

it('rejects the documented operations that start a task or browser', () => {
  expect(operations.filter(isNewWork).map(({ version, id }) => `${version} ${id}`)).toEqual([
    'v2 createSession',
    'v2 createTask',
    'v3 createSession',
    'v4 createRun',
    'v4 createMessage',
    'v4 createBrowser',
  ]);
});
