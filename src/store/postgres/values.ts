import { types } from 'pg';

/** Escape character that encodes NUL and itself: a noncharacter, which texts are not expected to contain. */
const mark = '\u{10fffe}';

/** Encodes a text for PostgreSQL, which cannot store NUL characters. */
export function storableText(text: string): string {
  if (!text.includes('\0') && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`);
}

/** Decodes a text of {@link storableText}. */
function originalText(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark);
}

type Parse = (value: string) => unknown;

/** Parsers by PostgreSQL type number, which return the same values as SQLite. */
const parsers: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.INT8, asNumber],
  // Sums of 64-bit integers have this type.
  [types.builtins.NUMERIC, asNumber],
  [types.builtins.TEXT, originalText],
]);

/**
 * Parsers of column values by type. A connection pool or client gets them as an option, because `pg`'s own registry is
 * global.
 */
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
