import { describe, expect, it } from 'vitest';
import { createCdpPolicy } from '#browsers/gateway/policy.ts';
import { defaultRules, type RuleBook } from '#contract/rule-book.ts';
import { warnOfMissingProxies } from './create-host.ts';
import { withOpenDomains } from './browser-flags.ts';

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
])('warns of $want with $given', ({ proxies, required, want }) => {
  const warned: string[] = [];
  warnOfMissingProxies(
    { countries, proxies: new Map(proxies), required },
    { warn: (_fields, message) => void warned.push(message) },
  );
  expect(warned).toEqual(want.map((part) => expect.stringContaining(part)));
});

const browser = { downloadFolder: '/d', allowsResizing: true, uploads: { findPath: () => null } };

function judgeMethod({ cdpPolicy }: RuleBook, method: string): string {
  return createCdpPolicy(cdpPolicy).judge({ id: 1, method, params: {} }, browser).kind;
}

describe('domains that an operator opens', () => {
  it.each(['NewThing', 'NewThing.*'])('%s is allowed, and no other closed domain', (name) => {
    const rules = withOpenDomains(defaultRules, [name]);
    const judged = ['NewThing.use', 'OtherThing.use', 'SystemInfo.getInfo', 'Browser.crash'].map((method) => [
      judgeMethod(defaultRules, method),
      judgeMethod(rules, method),
    ]);
    expect(judged).toEqual([
      ['answer', 'pass'],
      ['answer', 'answer'],
      ['answer', 'answer'],
      ['answer', 'answer'],
    ]);
  });

  it.each([
    [
      'SystemInfo.*',
      'Expected a domain that may be opened, found SystemInfo, which is never open: it shows the machine that the browser runs on.',
    ],
    ['Page', 'Expected a closed domain, named once, found Page, which is open already: leave it out.'],
    ['Browser.crash', 'Expected the name of a DevTools domain such as Example or Example.*, found Browser.crash.'],
    ['*', 'Expected the name of a DevTools domain such as Example or Example.*, found *.'],
  ])('%s is refused with a reason', (name, reason) => {
    expect(() => withOpenDomains(defaultRules, [name])).toThrow(reason);
  });

  it('a repeated name is refused', () => {
    expect(() => withOpenDomains(defaultRules, ['NewThing', 'NewThing.*'])).toThrow(
      'found NewThing, which is open already',
    );
  });
});
