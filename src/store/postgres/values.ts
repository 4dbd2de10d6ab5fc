import { types } from 'pg';

/** Stands before the sign for a NUL character and before itself: a noncharacter, which no text is expected to hold. */
const mark = '\u{10fffe}';

/** A text as PostgreSQL can keep it, which knows no NUL character. */
export function storableText(text: string): string {
  if (!text.includes('\0') && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`);
}

/** The text that {@link storableText} was given. */
function originalText(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark);
}

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
