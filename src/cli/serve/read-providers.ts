import { readFile } from 'node:fs/promises';
import { type ProviderTable, providersFromEnvironment } from '#backend/agent/providers/index.ts';
import type { RuleBook } from '#domain/rule-book.ts';

/**
 * The model providers of the file, or without one those whose usual variable of the environment holds a key. Throws an Error that begins
 * with `found` for what cannot be used.
 */
export async function readProviders(file: string | null, { providers: rules }: RuleBook): Promise<ProviderTable> {
  const { env: environment } = process;
  if (file === null) return providersFromEnvironment(rules, environment);
  const { parseProviders } = await import('#backend/agent/providers/parse-providers.ts');
  return parseProviders({ text: await textOf(file), name: file, environment, rules });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new Error(`found no file of providers at ${file} (${String(error.code)})`, { cause: error });
  }
}
