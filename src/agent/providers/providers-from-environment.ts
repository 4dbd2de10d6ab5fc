import type { RuleBook } from '#contract/rule-book.ts';
import type { ProviderTable } from './access.ts';
import { type Environment, readProvider } from './read-provider.ts';

/**
 * The providers whose usual variable holds a key (spec/rules/providers.yaml, keyVariable), each at its usual address; a variable that is
 * empty is none. Throws an Error that names every variable that holds no key, without its value.
 */
export function providersFromEnvironment(rules: RuleBook['providers'], environment: Environment): ProviderTable {
  const problems: string[] = [];
  const rows = rules.providers.flatMap(({ provider, keyVariable, baseUrl }) => {
    const apiKey = environment[keyVariable] ?? '';
    if (apiKey === '') return [];
    // No `${NAME}` is looked up in a key: it stands for itself.
    const reading = readProvider({ apiKey: `\${${keyVariable}}` }, baseUrl, environment);
    if ('access' in reading) return [[provider, reading.access] as const];
    problems.push(keyVariable);
    return [];
  });
  if (problems.length > 0)
    throw new Error(`found no key in ${problems.join(', ')}: expected printable ASCII without spaces`);
  return new Map(rows);
}
