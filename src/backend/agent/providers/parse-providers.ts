import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import type { RuleBook } from '#domain/rule-book.ts';
import type { ProviderAccess, ProviderTable } from './access.ts';
import { type GivenProvider, providersSchema } from './providers-schema.ts';
import { type Environment, readProvider } from './read-provider.ts';

/** What a file of providers is read with. */
export interface ProvidersSource {
  readonly text: string;
  /** For messages. */
  readonly name: string;
  /** Where `${NAME}` is looked up. */
  readonly environment: Environment;
  /** The providers that there are. */
  readonly rules: RuleBook['providers'];
}

/**
 * The table of a file of providers. Throws an Error that names every problem with its place; no message repeats a value that could
 * be a key.
 */
export function parseProviders(source: ProvidersSource): ProviderTable {
  const problems: string[] = [];
  const table = new Map<string, ProviderAccess>();
  for (const [provider, given] of Object.entries(readFile(source))) {
    const row = source.rules.providers.find((candidate) => candidate.provider === provider);
    if (row === undefined) {
      const known = source.rules.providers.map((candidate) => candidate.provider).join(', ');
      problems.push(`providers has ${JSON.stringify(provider)}, expected ${known}`);
      continue;
    }
    const reading = readProvider(given, row.baseUrl, source.environment);
    if ('problems' in reading) problems.push(...reading.problems.map((problem) => `providers.${provider}${problem}`));
    else table.set(provider, reading.access);
  }
  if (problems.length > 0) throw new Error(`found in ${source.name}: ${problems.join('; ')}`);
  return table;
}

function readFile({ text, name }: ProvidersSource): Readonly<Record<string, GivenProvider>> {
  const document = parseDocument(text);
  const [broken] = document.errors;
  // The parser's own message shows the line, which may hold a key.
  if (broken !== undefined)
    throw new Error(
      `found in ${name}, line ${broken.linePos?.[0].line ?? 1}: no YAML (${broken.code}), expected providers by their names`,
    );
  const value: unknown = document.toJS();
  const ajv = new Ajv2020({ allErrors: true });
  if (!ajv.validate(providersSchema, value))
    throw new Error(`found in ${name}: ${(ajv.errors ?? []).map(describe).join('; ')}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a checked file becomes a type
  return (value as { providers: Readonly<Record<string, GivenProvider>> }).providers;
}

function describe({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): string {
  const place = instancePath === '' ? 'the file' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return `${place} has the unknown member ${JSON.stringify(params['additionalProperty'])}`;
  if (keyword === 'enum') return `${place} is neither direct nor cloud`;
  return `${place} ${message}`;
}
