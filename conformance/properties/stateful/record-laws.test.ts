import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Shown } from './moment.ts';
import { changedMember } from './record-laws.ts';

function shown(settled: JsonObject): Shown {
  return { status: 'stopped', phase: 'over', settled, counters: {} };
}

const before = shown({ output: { text: 'done', code: 7 } });

it.each([
  ['the members of an object in another order', { output: { code: 7, text: 'done' } }, undefined],
  ['no such member', {}, undefined],
  ['another value', { output: { text: 'done', code: 8 } }, 'output'],
])('a record that has ended changes with %s: %s', (_name, settled, want) => {
  expect(changedMember(before, shown(settled))).toBe(want);
});
