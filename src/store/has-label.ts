import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { dialectOf } from './dialect-of.ts';

/** A label that a browser has to have. */
export interface Label {
  readonly key: string;
  /** Null for any. */
  readonly value: string | null;
}

/** Whether the labels of a row of `browsers` have that one, in the words of the database. */
export function hasLabel({ key, value }: Label, dialect: ReturnType<typeof dialectOf>): RawBuilder<SqlBool> {
  const labels = dialect === 'sqlite' ? sql`json_each(browsers.metadata)` : sql`json_each_text(${plainJson}::json)`;
  const found = sql`select 1 from ${labels} as label where label.key = ${key}`;
  return value === null ? sql`exists (${found})` : sql`exists (${found} and label.value = ${value})`;
}

/** PostgreSQL reads no JSON that speaks of NUL characters: they get the form in which parameters have them. */
const plainJson = sql`regexp_replace(browsers.metadata, ${String.raw`(?<!\\)((\\\\)*)\\u0000`}, ${'\\1\0'}, 'g')`;
