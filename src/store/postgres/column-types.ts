import { types } from 'pg';
import { originalText } from './text-values.ts';

type Parse = (value: string) => unknown;

/** How values of a column type come back, by the type's number in PostgreSQL: as those of SQLite do. */
const parsers: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.INT8, asNumber],
  // Sums of 64-bit integers.
  [types.builtins.NUMERIC, asNumber],
  [types.builtins.TEXT, originalText],
]);

/** The parsers of one pool; those of the package are everybody's. */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    const parse = format === 'binary' ? undefined : parsers.get(oid);
    return parse ?? types.getTypeParser(oid, format);
  },
};

function asNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`found ${value} in the database, expected a safe integer`);
  return number;
}
