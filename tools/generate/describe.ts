import { type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Version } from './bundle.ts';
import { expectText } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

/**
 * Appends the meanings of values to the description of every schema with `x-describe-from`, in place, because readers
 * of a document do not have the tables. Without tables only the keyword is removed.
 *
 * @throws when the named table is unknown
 */
export function describeValues(node: JsonValue, version: Version, tables: RuleTables | null): void {
  if (Array.isArray(node)) for (const member of node) describeValues(member, version, tables);
  if (!isJsonObject(node)) return;
  const source = node['x-describe-from'];
  if (typeof source === 'string') {
    delete node['x-describe-from'];
    const own = expectText(node['description'], `${source} description`);
    if (tables !== null) node['description'] = `${own}\n\n${getText(source, version, tables)}`;
  }
  for (const member of Object.values(node)) describeValues(member, version, tables);
}

function getText(source: string, version: Version, tables: RuleTables): string {
  const [table = '', machine] = source.split('.');
  switch (table) {
    case 'lifecycle':
      return states(machine ?? '', version, tables);
    case 'models':
      return list(tables.models[version].models.map(modelLine));
    case 'thinkingLevels':
      return version === 'v4' ? '' : levels(tables.thinkingLevels[version]);
    case 'modelParams':
      return params(tables.modelParams.matrix);
    case 'runEvents':
      return events(tables.runEvents.events);
    default:
      throw new Error(
        `x-describe-from: found ${source}, expected lifecycle.<machine>, models, thinkingLevels, modelParams or runEvents`,
      );
  }
}

/** Returns a Markdown list with one line per entry. */
function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function states(name: string, version: Version, { lifecycle }: RuleTables): string {
  const machine = lifecycle.machines.find((row) => row.machine === name && row.version === version);
  if (machine === undefined)
    throw new Error(`x-describe-from: found no machine ${name} of ${version} in lifecycle.yaml`);
  const ended = (kind: string): string => (kind === 'end' ? ' Final.' : '');
  return list(machine.states.map((state) => `\`${state.name}\`: ${state.meaning}.${ended(state.kind)}`));
}

type Model = RuleTables['models']['v3']['models'][number];

/** Descriptions of the availability of models. */
const availabilities: Readonly<Record<string, string>> = {
  native: '',
  'own-key': 'only with your own key of the provider (useOwnKey)',
  'direct-or-cloud':
    'where the service has a key of the provider or reaches it through a cloud platform, else only with your own key',
  cloud: 'where the service reaches it through a cloud platform, else only with your own key',
};

function modelLine({ name, provider, aliasOf, intent, availability }: Model): string {
  const when = availabilities[availability];
  if (when === undefined) throw new Error(`models: found the availability ${availability}, which has no text`);
  const facts = [aliasOf === undefined ? provider : `alias of \`${aliasOf}\``, intent ?? '', when];
  return `\`${name}\`: ${facts.filter((fact) => fact !== '').join('; ')}`;
}

/** Returns a Markdown list of models by their accepted levels. */
function levels(rows: RuleTables['thinkingLevels']['v3']): string {
  const accepted = (row: (typeof rows)[number]): string =>
    row.levels.length === 0 ? 'no level' : row.levels.join(', ');
  return `Models accept:\n\n${modelsBy(rows, accepted)}`;
}

/**
 * Returns a Markdown list with one line for each parameter path and its accepted values, followed by the models that
 * accept them.
 */
function params(rows: RuleTables['modelParams']['matrix']): string {
  const accepted = ({ path, values }: (typeof rows)[number]): string => `\`${path}\` (${values.join(', ')})`;
  return `Models that are not listed accept none:\n\n${modelsBy(rows, accepted)}`;
}

/**
 * Returns a Markdown list with one line for each distinct text of `accepted`, followed by the models of all rows with
 * this text.
 */
function modelsBy<Row extends { readonly model: string }>(
  rows: readonly Row[],
  accepted: (row: Row) => string,
): string {
  const lines = Array.from(Map.groupBy(rows, accepted), ([values, group]) => {
    const names = group.map(({ model }) => `\`${model}\``).join(', ');
    return `${values}: ${names}`;
  });
  return list(lines);
}

/**
 * Returns a Markdown list with one line for each pair of event type and data. The occasions of a pair are joined by
 * ", or ".
 */
function events(rows: RuleTables['runEvents']['events']): string {
  const groups = Map.groupBy(
    rows,
    ({ type, data }) => `\`${type}\` (${data === 'none' ? 'no data' : `data: ${data}`})`,
  );
  return list(
    Array.from(groups, ([kind, group]) => `${kind}: ${[...new Set(group.map(({ when }) => when))].join(', or ')}`),
  );
}
