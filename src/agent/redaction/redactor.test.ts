import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideInTask } from './hide-in-task.ts';
import { createRedactor } from './redactor.ts';

const secret = (name: string, value: string) => ({ name, value, domains: null });
const one = (value: string) => createRedactor([secret('s', value)]);

describe('a value is taken out', () => {
  it.each([
    { form: 'as it is', value: 'hunter2', given: 'it is hunter2.', want: 'it is <secret:s>.' },
    { form: 'in another case', value: 'hunter2', given: 'HUNTER2', want: '<secret:s>' },
    { form: 'inside of a word', value: 'hunter2', given: 'xhunter2y', want: 'x<secret:s>y' },
    { form: 'with other white space', value: 'two words', given: 'two\n  words', want: '<secret:s>' },
    { form: 'without the white space around it', value: ' padded ', given: '[padded]', want: '[<secret:s>]' },
    { form: 'in an address', value: 'a b/ü?', given: '/x?v=a%20b%2F%C3%BC%3F', want: '/x?v=<secret:s>' },
    { form: 'in a form', value: 'a b/ü!', given: '/x?v=a+b%2F%C3%BC%21', want: '/x?v=<secret:s>' },
    {
      form: 'in an address that encodes less',
      value: 'p@ss w/ö',
      given: '/x?v=p@ss%20w/%C3%B6',
      want: '/x?v=<secret:s>',
    },
    {
      form: 'in an address within an address',
      value: 'p@ss w',
      given: '?to=%2Fx%3Fv%3Dp%2540ss%2520w',
      want: '?to=%2Fx%3Fv%3D<secret:s>',
    },
    { form: 'in JSON in ASCII', value: 'Wörd<17', given: String.raw`"W\u00f6rd\u003C17"`, want: '"<secret:s>"' },
    { form: 'in JSON text', value: 'say "hi"', given: String.raw`{"a":"say \"hi\""}`, want: '{"a":"<secret:s>"}' },
    {
      form: 'with the marks of a pattern',
      value: 'a.b*c(d)[e]{f}|g^h$i\\j',
      given: 'a.b*c(d)[e]{f}|g^h$i\\j',
      want: '<secret:s>',
    },
    {
      form: 'that is short, alone',
      value: '123',
      given: 'PIN 123, code 4123 and 1234',
      want: 'PIN <secret:s>, code 4123 and 1234',
    },
  ])('$form', ({ value, given, want }) => {
    expect(one(value).text(given)).toBe(want);
  });

  it('from every text of a value, names of members included', async () => {
    expect(await one('hunter2').paced({ a: ['hunter2', 1, null], hunter2: { b: 'x hunter2' } })).toEqual({
      a: ['<secret:s>', 1, null],
      '<secret:s>': { b: 'x <secret:s>' },
    });
  });

  it('the longer of two that overlap, and never from a placeholder', () => {
    const redactor = createRedactor([secret('short', 'secret'), secret('long', 'secret-agent')]);
    expect(redactor.text('secret-agent and secret')).toBe('<secret:long> and <secret:short>');
    expect(createRedactor([secret('a', 'abcdef'), secret('b', 'defghi')]).text('abcdefghi')).toBe('<secret:a>');
  });

  it('once: what is redacted stays as it is, whatever its names hold', () => {
    const redactor = createRedactor([secret('pin-4711', '4711'), secret('s', 'secret'), secret('abc', 'abc')]);
    const shown = redactor.text('4711 secret abc');
    expect(shown).toBe('<secret:pin-4711> <secret:s> <secret:abc>');
    expect(redactor.text(shown)).toBe(shown);
    expect(redactor.text('<secret:4711>')).toBe('<<secret:s>:<secret:pin-4711>>');
  });

  it('whatever it is and wherever it stands', () => {
    const values = fc.string({ minLength: 4, unit: 'grapheme' }).filter((value) => value.trim().length >= 4);
    fc.assert(
      fc.property(values, fc.string(), fc.string(), (value, before, behind) => {
        const shown = one(value).text(`${before}${value}${behind}`);
        expect(shown.replaceAll('<secret:s>', '')).not.toContain(value.trim());
      }),
    );
  });
});

it.each([
  ["Type 'hunter2' into Password", 'hunter2', "Type '<secret:s>' into Password"],
  ['Type hunter2 into Password', 'hunter2', 'Type <secret:s> into Password'],
  ["Type the secret 'password' into 'password'", 'password', "Type the secret 'password' into '<secret:s>'"],
  ["Type 'Open' and open Open", 'Open', "Type '<secret:s>' and open Open"],
  ["Wait 12 seconds, type '12' into PIN", '12', "Wait 12 seconds, type '<secret:s>' into PIN"],
  ['svc-test: succeed', 'test', 'svc-test: succeed'],
  ['Type a.b(c) into X', 'a.b(c)', 'Type <secret:s> into X'],
])('the task %s with the value %s is kept as %s', (task, value, want) => {
  expect(hideInTask(task, [secret('s', value)])).toBe(want);
});

it('a task keeps the names of secrets, in which values may stand', () => {
  const pin = [secret('pin-4711', '4711')];
  for (const task of [
    "Type the secret 'pin-4711' into PIN",
    'Type <secret:pin-4711> into PIN',
    'Fill in PIN with my secret pin-4711',
  ])
    expect(hideInTask(task, pin)).toBe(task);
  expect(hideInTask("Type the secret 'pin-4711', then 4711 into PIN", pin)).toBe(
    "Type the secret 'pin-4711', then <secret:pin-4711> into PIN",
  );
});

it('what is no value stays as it is', () => {
  const text = 'nothing to see: 100 % of <secret:x>';
  expect(one('hunter2').text(text)).toBe(text);
  expect(one('   ').text(text)).toBe(text);
  expect(createRedactor([]).text(text)).toBe(text);
});
