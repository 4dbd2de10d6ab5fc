import type { Redactor } from './redactor.ts';

/** A text without values. One of `max` characters was cut off and may end within a value: so much of its end is left out as the longest value has. */
export function uncut(given: string, max: number, redactor: Redactor): string {
  const shown = redactor.text(given);
  return given.length < max ? shown : shown.slice(0, shown.length - redactor.longest);
}
