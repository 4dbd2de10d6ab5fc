/** Words of an address that are long enough to be a right to something. */
const longWord = /[\w-]{16,}/g;
const kinds = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

/**
 * An address of the same form that nobody has handed out: each long word of the path and the query has other characters of
 * the same kinds. Undefined when the address has no such word.
 */
export function unknownAddress(address: string, random: () => number): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, search } = new URL(address);
  const other = (text: string): string =>
    text.replaceAll(longWord, (word) => Array.from(word, (one) => otherThan(one, random)).join(''));
  const rest = `${pathname}${search}`;
  const changed = other(rest);
  return changed === rest ? undefined : `${origin}${changed}`;
}

function otherThan(one: string, random: () => number): string {
  const kind = kinds.find((characters) => characters.includes(one));
  if (kind === undefined) return one;
  const others = Array.from(kind).filter((other) => other !== one);
  return others[Math.floor(random() * others.length)] ?? one;
}
