import { expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { warnOfExits } from './warn-of-exits.ts';

const { countries } = defaultRules;
const all = countries.countries.map(({ code }) => [code, 'direct'] as const);

it.each([
  { given: 'no table', proxies: [], required: false, want: ['leave by the network of this machine'] },
  { given: 'a row for some', proxies: all.slice(1), required: false, want: ['leave by the network of this machine'] },
  { given: 'a row for all', proxies: all, required: false, want: [] },
  {
    given: 'a required proxy and none for us',
    proxies: [['de', 'direct'] as const],
    required: true,
    want: ['they are refused'],
  },
  { given: 'a required proxy and one for us', proxies: [['us', 'direct'] as const], required: true, want: [] },
])('with $given the start warns of $want', ({ proxies, required, want }) => {
  const warned: string[] = [];
  warnOfExits(
    { countries, proxies: new Map(proxies), required },
    { warn: (_fields, message) => void warned.push(message) },
  );
  expect(warned).toEqual(want.map((part) => expect.stringContaining(part)));
});
