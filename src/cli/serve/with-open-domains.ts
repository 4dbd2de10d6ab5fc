import type { RuleBook } from '#contract/rule-book.ts';

/** The form of `--cdp-allow`; the star is optional. */
const NAME = /^([A-Za-z]{1,40})(\.\*)?$/;

/**
 * The rules with more domains of DevTools open to clients. Throws a RangeError with a sentence for what is no domain, is open
 * already, or is closed on purpose: a method that the policy refuses stays refused.
 */
export function withOpenDomains(rules: RuleBook, names: readonly string[]): RuleBook {
  const { cdpPolicy } = rules;
  const { domains } = cdpPolicy;
  const open = names.reduce<readonly string[]>(
    (known, name) => [...known, opened(name, cdpPolicy, known)],
    domains.open,
  );
  return { ...rules, cdpPolicy: { ...cdpPolicy, domains: { ...domains, open } } };
}

function opened(name: string, { methods }: RuleBook['cdpPolicy'], known: readonly string[]): string {
  const domain = NAME.exec(name)?.[1];
  if (domain === undefined)
    throw new RangeError(`Expected the name of a DevTools domain such as Example or Example.*, found ${name}.`);
  if (known.includes(domain)) throw new RangeError(`${domain} is open to clients already.`);
  const row = methods.find(({ method, action }) => method === `${domain}.*` && action === 'refuse');
  if (row !== undefined) throw new RangeError(`${domain} stays closed: ${row.why}.`);
  return domain;
}
