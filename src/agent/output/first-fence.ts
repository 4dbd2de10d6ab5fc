const fence = '```';
/** A fence names a language in at most so many characters. */
const languageMax = 40;

/**
 * What stands in the first fence of a text whose language `isWanted` takes, '' for none; undefined without such a fence. Takes time
 * linear in the length of the text: model answers are foreign input.
 */
export function firstFence(text: string, isWanted: (language: string) => boolean): string | undefined {
  for (let at = text.indexOf(fence); at >= 0; at = text.indexOf(fence, at + fence.length)) {
    const head = text.slice(at + fence.length, at + fence.length + languageMax);
    const lineEnd = head.indexOf('\n');
    if (lineEnd < 0 || !isWanted(head.slice(0, lineEnd).trim().toLowerCase())) continue;
    const from = at + fence.length + lineEnd + 1;
    const to = text.indexOf(fence, from);
    return to < 0 ? undefined : text.slice(from, to);
  }
  return undefined;
}
