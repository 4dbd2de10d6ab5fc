/**
 * Removes trailing characters that match a pattern of one character. Takes linear time; replacing `x+$` takes quadratic
 * time for texts with many x before the end.
 */
export function stripEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes leading and trailing characters that match a pattern of one character. */
export function stripEnds(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text.charAt(start))) start += 1;
  return stripEnd(text.slice(start), character);
}
