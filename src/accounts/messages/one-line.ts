const lengthMax = 200;

/** A text on one line of at most 200 characters; what does not fit is cut off and marked. */
export function oneLine(text: string): string {
  // Only the beginning can matter, and a text may be very long.
  const line = text
    .slice(0, lengthMax * 20)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
