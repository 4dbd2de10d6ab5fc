import { expect, it } from 'vitest';
import { NotRun } from './outcome.ts';
import { createTaskDeadlines } from './task-deadlines.ts';

it('gives a kind up after two missed deadlines of it', () => {
  const deadlines = createTaskDeadlines(1000);
  deadlines.noteMissed('run');
  expect(() => deadlines.assertWorthStarting('run')).not.toThrow();
  deadlines.noteMissed('run');
  expect(() => deadlines.assertWorthStarting('run')).toThrow(NotRun);
  expect(deadlines.isGivenUp('task')).toBe(false);
});

it('gives every kind up after three missed deadlines', () => {
  const deadlines = createTaskDeadlines(1000);
  for (const kind of ['session', 'task', 'session'] as const) deadlines.noteMissed(kind);
  expect(() => deadlines.assertWorthStarting('run')).toThrow('earlier tasks had not ended after 1000 ms each');
});
