import type { KyselyPlugin } from 'kysely';

/*
 * Columns have names such as `created_at` in SQL, rows have members such as `createdAt`. Queries are written with the
 * names of members: the compiler of each dialect translates them once per statement, and drivers translate the columns
 * of a result once per statement. Names in a raw SQL text are not translated.
 */
const columns = new Map<string, string>();
const members = new Map<string, string>();

/**
 * Returns the SQL name of a member of a row, such as `created_at` for `createdAt`. Returns table and column names
 * unchanged.
 */
export function columnName(member: string): string {
  const known = columns.get(member);
  if (known !== undefined) return known;
  const column = member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(member, column);
  return column;
}

/** Returns the member name for a column of a result, such as `createdAt` for `created_at`. */
export function memberName(column: string): string {
  const known = members.get(column);
  if (known !== undefined) return known;
  const member = column.replaceAll(/(?<=[a-z0-9])_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  members.set(column, member);
  return member;
}

/** Restores the SQL column names in result rows for Kysely's introspectors, which expect them. */
export const columnNames: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => ({
    ...result,
    rows: result.rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([member, value]) => [columnName(member), value])),
    ),
  }),
};
