import { type ProviderTable, providersFromEnvironment } from '#agent/providers/index.ts';
import { readYamlFile } from '#conformance/core/data-file.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/**
 * The model providers of the file, or without one those whose usual variable of the environment holds a key. Throws an Error that begins
 * with `found` for what cannot be used.
 */
export async function readProviders(file: string | null, { providers: rules }: RuleBook): Promise<ProviderTable> {
  const { env: environment } = process;
  if (file === null) return providersFromEnvironment(rules, environment);
  const { parseProviders } = await import('#agent/providers/configuration.ts');
  return parseProviders({ file: readYamlFile(file, providersUse), environment, rules });
}

const providersUse = {
  expected: 'model providers with their keys, as YAML',
  next: 'correct the file of --providers; docs/guides/providers.md describes it',
  holdsSecrets: true,
};
