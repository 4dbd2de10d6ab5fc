import { InvalidArgumentError } from 'commander';

/** A port on the command line, 0 to 65535 included; 0 takes a free one. Anything else ends with wrong usage. */
export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Expected a whole number from 0 to 65535.');
}
