import { type RuleBook } from '#contract/rule-book.ts';
import { AdminFault } from './admin-fault.ts';

/** The provider, if models of it can be served with a key of one's own. Throws an {@link AdminFault} that lists those. */
export function knownProvider({ models }: Pick<RuleBook, 'models'>, provider: string): string {
  const rows = [...models.v3.models, ...models.v4.models];
  const known = [...new Set(rows.map((row) => row.provider))].toSorted();
  if (known.includes(provider)) return provider;
  throw new AdminFault(`found the provider ${provider}, expected one of ${known.join(', ')}`);
}
