import { InvalidArgumentError } from 'commander';

const lengthMax = 100;

/** A name on the command line: 1 to 100 characters without control characters and without spaces at its ends. */
export function readName(text: string): string {
  if (text.trim() === text && text !== '' && text.length <= lengthMax && !/\p{C}/u.test(text)) return text;
  throw new InvalidArgumentError(`Expected 1 to ${lengthMax} characters that can be shown.`);
}
