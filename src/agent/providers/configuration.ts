import { Ajv2020 } from 'ajv/dist/2020.js';
import type { RuleBook } from '#contract/rule-book.ts';
import { type DataFile, type FileProblem, rowProblem, schemaProblem } from '#lib/data-file.ts';
import { stripEnd } from '#lib/trim-end.ts';
import type { ModelRoute } from '../model/model-call.ts';

/**
 * Returns the providers whose key variable is set (spec/rules/providers.yaml, keyVariable), each at its default URL; an
 * empty variable counts as unset. Throws an Error that names each variable whose value cannot be a key. The error does
 * not contain the value.
 */
export function providersFromEnvironment(rules: RuleBook['providers'], environment: Environment): ProviderTable {
  const problems: string[] = [];
  const rows = rules.providers.flatMap(({ provider, keyVariable, baseUrl }) => {
    const apiKey = environment[keyVariable] ?? '';
    if (apiKey === '') return [];
    // Read as the value of a variable, so that `${NAME}` in the key itself is not replaced.
    const reading = readProvider({ apiKey: `\${${keyVariable}}` }, baseUrl, environment);
    if ('access' in reading) return [[provider, reading.access] as const];
    problems.push(keyVariable);
    return [];
  });
  if (problems.length > 0)
    throw new Error(`found no key in ${problems.join(', ')}: expected printable ASCII without spaces`);
  return new Map(rows);
}

/** Inputs for reading a provider file. */
export interface ProvidersSource {
  readonly file: DataFile;
  /** Environment variables that replace `${NAME}`. */
  readonly environment: Environment;
  /** Table of the providers that the file can name (spec/rules/providers.yaml). */
  readonly rules: RuleBook['providers'];
}

/**
 * Parses a provider file. Throws an error that lists all violations of the schema or, without violations, all problems
 * of the providers. No message repeats a value that could be a key.
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

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Access to a provider, or the problems of its members, each starting with the member's name. */
type ProviderReading = { readonly access: ProviderAccess } | { readonly problems: readonly string[] };

/**
 * Reads the configuration of one provider, which conforms to the schema; `usualUrl` is the base URL if `given` has
 * none.
 */
function readProvider(given: GivenProvider, usualUrl: string, environment: Environment): ProviderReading {
  const { route = 'direct' } = given;
  const problems: string[] = [];
  const filled = (member: 'apiKey' | 'baseUrl', text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => {
      const value = environment[name];
      if (value === undefined || value === '')
        problems.push(`.${member} names the variable ${name}, which the environment does not have`);
      return value ?? '';
    });
  const apiKey = filled('apiKey', given.apiKey);
  const baseUrl = stripEnd(filled('baseUrl', given.baseUrl ?? usualUrl), /\//);
  // A header cannot contain other characters, and the error of the HTTP client would show the key.
  if (problems.length === 0 && !/^[\x21-\x7e]+$/.test(apiKey))
    problems.push('.apiKey has a character that no key has: expected printable ASCII without spaces');
  if (problems.length === 0 && !isAddress(baseUrl))
    problems.push(
      '.baseUrl is no address, expected http:// or https:// with a host, and no credentials, query or fragment',
    );
  if (route === 'cloud' && given.baseUrl === undefined)
    problems.push('.baseUrl is missing: a cloud platform has an address of its own');
  return problems.length > 0 ? { problems } : { access: { apiKey, baseUrl, route } };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return [url.username, url.password, url.search, url.hash].every((part) => part === '');
}

const text = { type: 'string', minLength: 1 } as const;

/**
 * JSON Schema of the file of `svc serve --providers`. Unknown members are rejected, so that typos have no silent
 * effect.
 */
const providersSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Model providers',
  type: 'object',
  required: ['providers'],
  additionalProperties: false,
  properties: {
    providers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['apiKey'],
        additionalProperties: false,
        properties: { apiKey: text, baseUrl: text, route: { enum: ['direct', 'cloud'] } },
      },
    },
  },
} as const;

/** One provider of the file, validated by the schema. */
export interface GivenProvider {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly route?: 'direct' | 'cloud';
}

/** Access to one provider. */
export interface ProviderAccess {
  readonly apiKey: string;
  /** Base URL of requests, without a trailing slash. */
  readonly baseUrl: string;
  /** Whether `baseUrl` leads to the provider itself or to a cloud platform that serves the provider's models. */
  readonly route: ModelRoute;
}

/** Configured providers by their names in spec/rules/providers.yaml. */
export type ProviderTable = ReadonlyMap<string, ProviderAccess>;
