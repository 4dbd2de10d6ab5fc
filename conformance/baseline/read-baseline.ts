import { type SchemaError, createValidators } from '#generated/validators/baseline.ts';
import { fileValidator } from '../harness/file-validator.ts';
import { registry } from '../registry/requirement.ts';
import { SuiteError } from '../harness/suite-error.ts';
import { nearestWord } from '../harness/target/nearest-word.ts';
import { whenNeeded } from '../harness/when-needed.ts';
import { type Baseline, type BaselineEntry, entryName } from './baseline.ts';
import { baselineSchema } from './baseline-schema.ts';

/** Where a baseline comes from. */
export interface BaselineSource {
  text: string;
  /** Name of the file, for messages and the report. */
  name: string;
}

/** Reads known failures. Throws SuiteError `usage` with everything that is wrong with the file. */
export function readBaseline({ text, name }: BaselineSource): Baseline {
  const value = parseYaml(text, name);
  const fits = fileValidator(createValidators);
  if (!fits(value)) throw wrong(name, (fits.errors ?? []).map(schemaProblem));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just vouched for the shape
  const { entries } = value as { entries: BaselineEntry[] };
  const problems = [...entries.flatMap((entry) => entryProblems(entry)), ...clashes(entries)];
  if (problems.length > 0) throw wrong(name, problems);
  return { file: name, entries };
}

/** True for a reason that nobody has written: empty, or a mark that it is still to come. */
export function isPlaceholder(reason: string): boolean {
  return /^(?:todo|tbd|fixme|xxx)?$/i.test(reason.replaceAll(/\W/g, ''));
}

function parseYaml(text: string, name: string): unknown {
  try {
    return whenNeeded.yaml().parse(text);
  } catch (error) {
    if (!(error instanceof whenNeeded.yaml().YAMLParseError)) throw error;
    throw wrong(name, [error.message.split('\n')[0] ?? 'text that is no YAML']);
  }
}

function schemaProblem({ instancePath, keyword, message = 'is not valid', params }: SchemaError): string {
  const place = instancePath === '' ? 'the file' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword !== 'additionalProperties') return `${place} ${message}`;
  const found = String(params['additionalProperty']);
  const meant = nearestWord(found, memberNames);
  return `${place} has the unknown member "${found}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`;
}

const memberNames = ['entries', ...Object.keys(baselineSchema.properties.entries.items.properties)];

function entryProblems(entry: BaselineEntry): string[] {
  const unwritten = isPlaceholder(entry.reason)
    ? [`${entryName(entry)} has no written reason ("${entry.reason}")`]
    : [];
  return [...idProblems(entry.id), ...unwritten];
}

function idProblems(id: string): string[] {
  if (registry.some((row) => row.id === id)) return [];
  const laws = registry.filter((row) => row.covers?.[id] !== undefined).map((row) => row.id);
  if (laws.length > 0) return [`${id} is a row of a law (write the id ${laws.join(' or ')} and one of its cells)`];
  const meant = nearestWord(
    id,
    registry.map((row) => row.id),
  );
  return [`the unknown id "${id}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`];
}

// Two entries for one thing could contradict each other, and a whole row would hide what its cells say.
function clashes(entries: readonly BaselineEntry[]): string[] {
  const byId = Map.groupBy(entries, ({ id }) => id);
  return [...byId].flatMap(([id, group]) => {
    const names = group.map((entry) => entryName(entry));
    const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
    const mixed = names.includes(id) && names.some((name) => name !== id);
    return [...twice.map((name) => `${name} stands twice`), ...(mixed ? [`${id} stands as a whole and by cell`] : [])];
  });
}

function wrong(name: string, problems: readonly string[]): SuiteError {
  return new SuiteError('usage', {
    found: `in ${name}: ${problems.join('; ')}`,
    expected: 'entries with id, reason, expires (YYYY-MM-DD), and cell or link where they are wanted',
    next: `correct ${name}; ids are those of \`svc list\`, cells those of a report`,
  });
}
