import { expect, it } from 'vitest';
import { remember } from './run-secrets.ts';
import { createSandboxes } from './sandboxes.ts';

it('a browser remembers each value once, however many tasks may type it, and every value of a name', () => {
  const sandbox = createSandboxes().ensure('s');
  const secret = (value: string) => ({ name: 'pin', value, domains: null });
  for (let task = 0; task < 100; task += 1) remember(sandbox, [secret('one'), secret('two')]);
  expect(sandbox.known).toEqual([secret('one'), secret('two')]);
});
