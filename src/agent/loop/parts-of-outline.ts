/** Characters of an outline that a model is shown at once. */
export const OUTLINE_PART = 40_000;

/** A part of an outline, and how many it has. */
export interface OutlinePart {
  readonly text: string;
  readonly count: number;
}

/** The part of that number, from 1, cut between lines where lines are not too long for that; empty behind the last. */
export function partOf(outline: string, number: number): OutlinePart {
  const parts = partsOf(outline);
  return { text: parts[number - 1] ?? '', count: parts.length };
}

function partsOf(outline: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (from < outline.length || parts.length === 0) {
    const end = endOf(outline, from);
    parts.push(outline.slice(from, end));
    from = end;
  }
  return parts;
}

function endOf(outline: string, from: number): number {
  const end = from + OUTLINE_PART;
  if (end >= outline.length) return outline.length;
  const line = outline.lastIndexOf('\n', end);
  return line > from ? line + 1 : end;
}
