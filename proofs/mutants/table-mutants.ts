import { type RuleBook, defaultRules } from '#contract/rule-book.ts';

/** A change of the rule tables that the reference uses. */
export interface TableMutant {
  /** Permanent name of the mutant: kind of fact, place, and change. */
  readonly key: string;
  readonly rules: () => RuleBook;
}

/**
 * Tables that decide responses of the reference. The other tables serve the suite, the mocks, the documents or real
 * browsers and providers. A change of these other tables changes no response of the simulated reference.
 */
const deciding = [
  'thinkingLevels',
  'modelParams',
  'models',
  'errors',
  'lifecycle',
  'limits',
  'pricing',
  'runEvents',
  'messages',
  'countries',
] as const;

/** Columns that explain a row or serve real browsers and providers, without effect on responses. */
const explaining = new Set(
  ['source', 'text', 'meaning', 'trigger', 'also', 'condition', 'intent', 'when', 'data', 'unit', 'appliesTo', 'kind']
    .concat(['language', 'timeZone', 'latitude', 'longitude', 'enumeration', 'family', 'route', 'families', 'effect'])
    .concat(['thinkingLevel', 'rule']),
);

type Path = readonly (string | number)[];
type Leaf = string | number | boolean;

/**
 * Returns mutants of the deciding tables: one for each cell, for each token of a message template, and for each value
 * that a list in a row can gain or lose.
 */
export function tableMutants(): TableMutant[] {
  const cells = deciding.flatMap((table) => getLeaves(defaultRules[table], [table]));
  const columns = Map.groupBy(cells, ({ path }) => columnName(path));
  const changes = cells.flatMap(({ path, value }) => {
    const near = (columns.get(columnName(path)) ?? []).map((cell) => cell.value);
    if (path.at(-1) === 'message') return tokenChanges(path, String(value));
    return isListed(path) ? [] : [cellChange(path, value, near)];
  });
  return [...changes, ...memberChanges(columns)];
}

interface Cell {
  readonly path: Path;
  readonly value: Leaf;
}

function getLeaves(value: unknown, path: Path): Cell[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => getLeaves(item, [...path, at]));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) =>
      explaining.has(name) ? [] : getLeaves(member, [...path, name]),
    );
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [{ path, value }] : [];
}

/** Returns a path as text, with `*` in place of each row number. */
function columnName(path: Path): string {
  return path.map((part) => (typeof part === 'number' ? '*' : part)).join('.');
}

/** Returns whether a cell is an item of a list in a row, such as a level of a model. */
function isListed(path: Path): boolean {
  return typeof path.at(-1) === 'number';
}

/**
 * Returns a mutant of one cell. The cell gets the next value of its column if values recur in the column, otherwise an
 * altered value.
 */
function cellChange(path: Path, value: Leaf, column: readonly Leaf[]): TableMutant {
  const values = [...new Set(column)];
  const isEnumerated = values.length > 1 && values.length < column.length;
  const next = values[(values.indexOf(value) + 1) % values.length];
  return mutantAt(path, isEnumerated && next !== undefined ? next : unlike(value));
}

function unlike(value: Leaf): Leaf {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value * 2 + 1 : `${value}-x`;
}

/**
 * Returns changes of lists in rows: each known value of the column is removed where it occurs and added where it does
 * not.
 */
function memberChanges(columns: ReadonlyMap<string, readonly Cell[]>): TableMutant[] {
  return [...columns.values()].flatMap((column) => {
    const known = [...new Set(column.filter(({ path }) => isListed(path)).map(({ value }) => value))];
    const lists = new Map(
      column.filter(({ path }) => isListed(path)).map(({ path }) => [JSON.stringify(path.slice(0, -1)), path]),
    );
    return [...lists.values()].flatMap((member) => {
      const path = member.slice(0, -1);
      const list = valueAt(defaultRules, path);
      const values: readonly unknown[] = Array.isArray(list) ? list : [];
      return known.map((value) =>
        values.includes(value)
          ? mutantAt(
              path,
              values.filter((other) => other !== value),
              `without ${value}`,
            )
          : mutantAt(path, [...values, value], `with ${value}`),
      );
    });
  });
}

/** Returns changes that remove a word or placeholder from a message. */
function tokenChanges(path: Path, message: string): TableMutant[] {
  const tokens = message.split(' ');
  return tokens.map((token, at) => {
    const rest = tokens.filter((_other, index) => index !== at).join(' ');
    return mutantAt(path, rest, `without the token ${at + 1}, ${token}`);
  });
}

function mutantAt(path: Path, value: unknown, what = `is ${String(value)}`): TableMutant {
  return { key: `${nameAt(path)} ${what}`, rules: () => withValue(path, value) };
}

/** Returns a path with the first string of each row beside its number. */
function nameAt(path: Path): string {
  return path
    .map((part, at) => {
      if (typeof part === 'string') return at === 0 ? part : `.${part}`;
      const row = valueAt(defaultRules, path.slice(0, at + 1));
      const names: unknown[] = typeof row === 'object' && row !== null ? Object.values(row) : [];
      return `[${part}${names.length === 0 ? '' : ` ${String(names.find((name) => typeof name === 'string'))}`}]`;
    })
    .join('');
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, part) => (typeof found === 'object' && found !== null ? Reflect.get(found, part) : undefined),
    value,
  );
}

function withValue(path: Path, value: unknown): RuleBook {
  const rules = structuredClone(defaultRules);
  const parent = valueAt(rules, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined) {
    throw new Error(`found no ${path.join('.')} in the tables, expected a cell that was listed before`);
  }
  Reflect.set(parent, last, value);
  return rules;
}
