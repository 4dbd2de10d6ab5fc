/** The members of a list such as `a, b and c`. */
export function splitItems(text: string): string[] {
  return text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
