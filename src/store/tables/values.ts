/** A boolean as 0 or 1, because SQLite and the shared migrations have no boolean type. */
export type Flag = 0 | 1;

/** Milliseconds since the Unix epoch. */
export type TimeMs = number;

/** Converts a boolean to its column value. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}
