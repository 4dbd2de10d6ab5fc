/** Where one instruction ends and the next begins. */
const BORDER = /(?:[;\n]|(?<![.!?,])[.!?,]+(?=\s|$)|\s(?:and\s+then|and|then|after\s+that)(?=\s))\s*/gi;

/** A part of a goal, with its place in it. */
export interface Clause {
  readonly text: string;
  readonly start: number;
  /** The place after its last character. */
  readonly end: number;
}

/** Cuts a goal at full stops, commas, line ends, "and" and "then"; parts without any letter or digit are left out. */
export function splitClauses(text: string): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  const add = (end: number): void => {
    const part = text.slice(start, end);
    if (/[\p{L}\p{N}]/u.test(part)) clauses.push({ text: part.trim(), start, end: start + part.trimEnd().length });
  };
  for (const border of text.matchAll(BORDER)) {
    add(border.index);
    start = border.index + border[0].length;
  }
  add(text.length);
  return clauses;
}
