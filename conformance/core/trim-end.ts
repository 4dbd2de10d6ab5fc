/**
 * Returns a text without the characters at its end that a pattern of one character matches. Takes time linear in the text; a
 * replacement of `x+$` takes quadratic time for a text with many x before its end.
 */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns a text without such characters at both ends. */
export function withoutEnds(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text.charAt(start))) start += 1;
  return withoutEnd(text.slice(start), character);
}
