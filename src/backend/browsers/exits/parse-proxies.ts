import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import { type GivenRow, proxiesSchema } from './proxies-schema.ts';
import type { ProxyRow, ProxyTable } from './proxy-table.ts';
import { type Environment, readProxyRow } from './read-proxy-row.ts';

/** What a file of proxies is read with. */
export interface ProxiesSource {
  readonly text: string;
  /** For messages. */
  readonly name: string;
  /** Where `${NAME}` is looked up. */
  readonly environment: Environment;
  /** Every code that a row may name. */
  readonly codes: readonly string[];
}

/**
 * The table of a file of proxies. Throws an Error that names every problem with its place; no message repeats a value that could
 * be a secret.
 */
export function parseProxies(source: ProxiesSource): ProxyTable {
  const problems: string[] = [];
  const table = new Map<string, ProxyRow | 'direct'>();
  let others: ProxyRow | 'direct' | null = null;
  for (const [index, given] of readRows(source).entries()) {
    const row = readProxyRow(given, source.environment);
    if ('problems' in row) problems.push(...row.problems.map((problem) => `proxies.${index}${problem}`));
    const exit = 'problems' in row ? 'direct' : row.exit;
    if (given.countries === 'all') {
      if (others !== null) problems.push(`proxies.${index}.countries is all, which an earlier row is already`);
      others = exit;
      continue;
    }
    for (const code of given.countries) {
      problems.push(...problemsOf(code, { index, codes: source.codes, isTaken: table.has(code) }));
      table.set(code, exit);
    }
  }
  if (problems.length > 0) throw new Error(`found in ${source.name}: ${problems.join('; ')}`);
  if (others !== null) for (const code of source.codes) if (!table.has(code)) table.set(code, others);
  return table;
}

function problemsOf(
  code: string,
  { index, codes, isTaken }: { index: number; codes: readonly string[]; isTaken: boolean },
): string[] {
  const place = `proxies.${index}.countries has`;
  return [
    ...(codes.includes(code)
      ? []
      : [`${place} ${JSON.stringify(code)}, expected codes of ProxyCountryCode such as de`]),
    ...(isTaken ? [`${place} ${code}, which an earlier row has already`] : []),
  ];
}

function readRows({ text, name }: ProxiesSource): readonly GivenRow[] {
  const document = parseDocument(text);
  const [broken] = document.errors;
  // The parser's own message shows the line, which may hold a password.
  if (broken !== undefined)
    throw new Error(
      `found in ${name}, line ${broken.linePos?.[0].line ?? 1}: no YAML (${broken.code}), expected a list of proxies`,
    );
  const value: unknown = document.toJS();
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  if (!ajv.validate(proxiesSchema, value))
    throw new Error(`found in ${name}: ${(ajv.errors ?? []).filter(isPlain).map(describe).join('; ')}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a checked file becomes a type
  return (value as { proxies: readonly GivenRow[] }).proxies;
}

/** What the branches of a choice say one by one is of no use: the choice itself is told. */
function isPlain({ schemaPath }: ErrorObject): boolean {
  return !schemaPath.includes('/anyOf/');
}

function describe({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): string {
  const place = instancePath === '' ? 'the file' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return `${place} has the unknown member ${JSON.stringify(params['additionalProperty'])}`;
  if (keyword === 'anyOf') return `${place} is neither all nor a list of codes`;
  return `${place} ${message}`;
}
