import { describe, expect, it } from 'vitest';
import { createCdpPolicy } from '#browsers/gateway/policy.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { withOpenDomains } from './with-open-domains.ts';

const browser = { downloadFolder: '/d', allowsResizing: true, uploads: { pathOf: () => null } };

function kindOf({ cdpPolicy }: RuleBook, method: string): string {
  return createCdpPolicy(cdpPolicy).judge({ id: 1, method, params: {} }, browser).kind;
}

describe('domains that an operator opens', () => {
  it.each(['NewThing', 'NewThing.*'])('%s passes, and nothing else that did not', (name) => {
    const rules = withOpenDomains(defaultRules, [name]);
    const judged = ['NewThing.use', 'OtherThing.use', 'SystemInfo.getInfo', 'Browser.crash'].map((method) => [
      kindOf(defaultRules, method),
      kindOf(rules, method),
    ]);
    expect(judged).toEqual([
      ['answer', 'pass'],
      ['answer', 'answer'],
      ['answer', 'answer'],
      ['answer', 'answer'],
    ]);
  });

  it.each([
    ['SystemInfo.*', 'SystemInfo stays closed: it shows the machine that the browser runs on.'],
    ['Page', 'Page is open to clients already.'],
    ['Browser.crash', 'Expected the name of a DevTools domain such as Example or Example.*, found Browser.crash.'],
    ['*', 'Expected the name of a DevTools domain such as Example or Example.*, found *.'],
  ])('%s is refused with a reason', (name, reason) => {
    expect(() => withOpenDomains(defaultRules, [name])).toThrow(reason);
  });

  it('a name that is given twice is refused', () => {
    expect(() => withOpenDomains(defaultRules, ['NewThing', 'NewThing.*'])).toThrow('NewThing is open');
  });
});
