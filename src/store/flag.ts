import type { Flag } from './schema.ts';

/** A boolean as the database holds it. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}
