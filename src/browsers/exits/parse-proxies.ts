import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { type DataFile, type FileProblem, rowProblem, schemaProblem } from '#lib/data-file.ts';
import { type GivenRow, proxiesSchema } from './proxies-schema.ts';
import type { ProxyRow, ProxyTable } from './proxy-table.ts';
import { type Environment, readProxyRow } from './read-proxy-row.ts';

/** What a file of proxies is read with. */
export interface ProxiesSource {
  readonly file: DataFile;
  /** Where `${NAME}` is looked up. */
  readonly environment: Environment;
  /** Every code that a row may name. */
  readonly codes: readonly string[];
}

/**
 * Returns the table of a file of proxies. Throws the fault of the file with every problem; no message repeats a value that could
 * be a secret.
 */
export function parseProxies(source: ProxiesSource): ProxyTable {
  const problems: FileProblem[] = [];
  const table = new Map<string, ProxyRow | 'direct'>();
  let others: ProxyRow | 'direct' | null = null;
  for (const [index, given] of readRows(source).entries()) {
    const path = ['proxies', index];
    const row = readProxyRow(given, source.environment);
    if ('problems' in row) problems.push(...row.problems.map((problem) => rowProblem(path, problem)));
    const exit = 'problems' in row ? 'direct' : row.exit;
    if (given.countries === 'all') {
      if (others !== null)
        problems.push({ path, text: `proxies.${index}.countries is all, which an earlier row is already` });
      others = exit;
      continue;
    }
    for (const code of given.countries) {
      const texts = problemsOf(code, { index, codes: source.codes, isTaken: table.has(code) });
      problems.push(...texts.map((text) => ({ path: [...path, 'countries'], text })));
      table.set(code, exit);
    }
  }
  if (problems.length > 0) throw source.file.fault(problems);
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

function readRows({ file }: ProxiesSource): readonly GivenRow[] {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, verbose: true });
  if (!ajv.validate(proxiesSchema, file.value)) throw file.fault((ajv.errors ?? []).filter(isPlain).map(problemOf));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a checked file becomes a type
  return (file.value as { proxies: readonly GivenRow[] }).proxies;
}

/** What the branches of a choice say one by one is of no use: the choice itself is told. */
function isPlain({ schemaPath }: ErrorObject): boolean {
  return !schemaPath.includes('/anyOf/');
}

function problemOf(error: ErrorObject): FileProblem {
  const problem = schemaProblem(error);
  return error.keyword === 'anyOf'
    ? { ...problem, text: `${problem.path.join('.')} is neither all nor a list of codes` }
    : problem;
}
