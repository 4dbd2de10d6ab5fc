import { InvalidArgumentError } from 'commander';

/** A bound that is the same for every project, or the tier that each has reached with what it has spent. */
export type SessionsMax = number | 'by-spend';

/** Reads how many living sessions a project may have: a whole number of at least 1, or `by-spend`. */
export function readSessionsMax(text: string): SessionsMax {
  if (text === 'by-spend') return text;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number of at least 1, or by-spend.');
}
