import { Ajv2020 } from 'ajv/dist/2020.js';
import { type DataFile, type FileProblem, rowProblem, schemaProblem } from '#lib/data-file.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { ProviderAccess, ProviderTable } from './access.ts';
import { type GivenProvider, providersSchema } from './providers-schema.ts';
import { type Environment, readProvider } from './read-provider.ts';

/** What a file of providers is read with. */
export interface ProvidersSource {
  readonly file: DataFile;
  /** Where `${NAME}` is looked up. */
  readonly environment: Environment;
  /** The providers that there are. */
  readonly rules: RuleBook['providers'];
}

/**
 * Returns the table of a file of providers. Throws the fault of the file with every problem; no message repeats a value that could
 * be a key.
 */
export function parseProviders(source: ProvidersSource): ProviderTable {
  const problems: FileProblem[] = [];
  const table = new Map<string, ProviderAccess>();
  for (const [provider, given] of Object.entries(readFile(source))) {
    const path = ['providers', provider];
    const row = source.rules.providers.find((candidate) => candidate.provider === provider);
    if (row === undefined) {
      const known = source.rules.providers.map((candidate) => candidate.provider);
      const text = `providers has ${JSON.stringify(provider)}, expected ${known.join(', ')}`;
      problems.push({ path, text, unknown: { word: provider, known } });
      continue;
    }
    const reading = readProvider(given, row.baseUrl, source.environment);
    if ('problems' in reading) problems.push(...reading.problems.map((problem) => rowProblem(path, problem)));
    else table.set(provider, reading.access);
  }
  if (problems.length > 0) throw source.file.fault(problems);
  return table;
}

function readFile({ file }: ProvidersSource): Readonly<Record<string, GivenProvider>> {
  const ajv = new Ajv2020({ allErrors: true, verbose: true });
  if (!ajv.validate(providersSchema, file.value)) throw file.fault((ajv.errors ?? []).map(schemaProblem));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a checked file becomes a type
  return (file.value as { providers: Readonly<Record<string, GivenProvider>> }).providers;
}
