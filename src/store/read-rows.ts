import type { SQLInputValue, StatementSync } from 'node:sqlite';

/** A row of the database, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement, and answers its rows. */
export type ReadRows = (...parameters: SQLInputValue[]) => Row[];

/**
 * Has a statement read rows. SQLite is asked for bare values, and their names are put to them here: a row of a session is there in half the time, and
 * whatever looks at it is faster, too, because all rows of a statement have the same shape.
 */
export function readRows(statement: StatementSync): ReadRows {
  statement.setReturnArrays(true);
  let columns = columnsOf(statement);
  return (...parameters) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it returns since it was told to return arrays
    const found = statement.all(...parameters) as unknown as readonly unknown[][];
    // SQLite compiles a statement anew where a column has been added meanwhile.
    if (found[0] !== undefined && found[0].length !== columns.names.length) columns = columnsOf(statement);
    return found.map((values) => named(columns, values));
  };
}

interface Columns {
  readonly names: readonly string[];
  /** A row with nothing in it: its copies have one shape, which is not looked for again with each name. */
  readonly empty: Row;
}

function columnsOf(statement: StatementSync): Columns {
  const names = statement.columns().map(({ name }) => name);
  return { names, empty: Object.fromEntries(names.map((name) => [name, null])) };
}

function named({ names, empty }: Columns, values: readonly unknown[]): Row {
  const row: Record<string, unknown> = { ...empty };
  let index = 0;
  for (const name of names) {
    row[name] = values[index];
    index += 1;
  }
  return row;
}
