import { expect, it } from 'vitest';
import { knownBytesMax, createKnownSecrets } from './hide-in-task.ts';
import type { Secret } from './secrets.ts';

const secret = (name: string, value: string): Secret => ({ name, value, domains: null });

it('keeps each value of a name once, however many tasks may type it', () => {
  const known = createKnownSecrets();
  for (let task = 0; task < 100; task += 1) known.add([secret('pin', 'first'), secret('pin', 'second')]);
  expect(known.size).toBe(2);
  expect(known.redactor().text('first, second')).toBe('<secret:pin>, <secret:pin>');
});

it('makes its redactor again only for new secrets', () => {
  const known = createKnownSecrets();
  known.add([secret('pin', 'first')]);
  const redactor = known.redactor();
  known.add([secret('pin', 'first')]);
  expect(known.redactor()).toBe(redactor);
});

it('refuses secrets that have too many bytes together with those of earlier tasks', () => {
  const known = createKnownSecrets();
  const long = (count: number): Secret => secret(`s${count}`, String.fromCharCode(0x4e00 + count).repeat(1_333));
  for (let count = 0; count < 32; count += 1) known.add([long(count)]);
  expect(() => known.add([long(32)])).toThrow(
    `its browser can hide ${knownBytesMax}: create the task in a new session.`,
  );
  expect(known.size).toBe(32);
  known.add([long(0)]);
  expect(known.redactor().text(long(31).value)).toBe('<secret:s31>');
  expect(known.redactor().text(long(32).value)).toBe(long(32).value);
});
