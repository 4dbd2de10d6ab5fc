/**
 * Removes the trailing characters of a text that match a one-character pattern. Takes linear time, unlike a
 * replacement of `x+$`, which takes quadratic time for texts with many such characters.
 */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Removes the matching characters at both ends of a text. */
export function withoutEnds(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start), character);
}
