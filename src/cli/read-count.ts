import { InvalidArgumentError } from 'commander';

/** Reads a flag that counts: a whole number of at least 1. */
export function readCount(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number of at least 1.');
}
