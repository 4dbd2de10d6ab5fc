/**
 * Removes the trailing characters that match a pattern. The pattern is tested on single characters. Takes linear time.
 * Replacing a regular expression such as `x+$` can take quadratic time.
 */
export function stripEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes the leading and trailing characters that match a pattern. The pattern is tested on single characters. */
export function stripEnds(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text.charAt(start))) start += 1;
  return stripEnd(text.slice(start), character);
}
