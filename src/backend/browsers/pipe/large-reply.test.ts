import { expect, test } from 'vitest';
import { relabelled } from './large-reply.ts';

const value = 'x,"sessionId":"S"}'.repeat(3);
const reply = { id: 41, result: { value }, sessionId: 'S' };
const large = { id: 41, text: JSON.stringify(reply) };

test.each([
  ['a page', false, { ...reply, id: 7 }],
  ['the browser', true, { id: 7, result: { value } }],
])('a reply of %s gets the id of its client', (_of, isRoot, want) => {
  const text = relabelled(large, { id: 7, sessionId: 'S', isRoot });
  expect(JSON.parse(text ?? '')).toEqual(want);
});

test.each([
  ['of another session', { id: 7, sessionId: 'T', isRoot: false }],
  ['to a command without an id', { id: undefined, sessionId: 'S', isRoot: false }],
])('a reply %s is not touched', (_of, owner) => {
  expect(relabelled(large, owner)).toBeNull();
});
