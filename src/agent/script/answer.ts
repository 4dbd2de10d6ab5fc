import type { JsonValue } from '#lib/json.ts';
import type { PageLine, PageView } from './page-view.ts';
import type { ScriptAnswer } from './script-file.ts';
import { mapTexts, type Marks } from './template.ts';

/** Result of a successful run, and the pages at its end. */
export interface Ending {
  readonly output: JsonValue;
  /** The last page. */
  readonly last: PageView;
  /** The page before the last action that can change a page; null without such an action. */
  readonly before: PageView | null;
  /** The template of the task. */
  readonly task: string;
  readonly marks: Marks;
}

/** Maximum number of lines that the last page of a replay has to show. */
const linesMax = 40;
const lineMax = 500;

/**
 * Returns a recipe with which a replay creates the answer. If possible, the replay reads all words of the answer that
 * have digits again from its last page. It cannot if such a word is ambiguous or missing on the page, if no line shows
 * the result, or if the answer contains a boolean or depends on a list of the page. The recipe is then valid only while
 * all pages are unchanged.
 */
export function makeAnswer(ending: Ending): ScriptAnswer {
  const { output, last, marks } = ending;
  const marked = mapTexts(output, (text) => marks.mark(text));
  const unread: ScriptAnswer = { output: marked, lines: null, reads: [], seen: last.hash };
  const texts = textsIn(marked);
  if (texts === null || dependsOnList(texts, ending)) return unread;
  const reads = [...new Set(texts.flatMap((text) => tokensIn(text)))].filter((token) => !hasToken(ending.task, token));
  const free = last.lines.filter(({ isListed, text }) => !isListed && text.length <= lineMax);
  if (reads.some((token) => !isAlone(token, last.lines) || !free.some(({ text }) => hasToken(text, token))))
    return unread;
  const lines = listResultLines(ending, free).concat(
    free.flatMap(({ text }) => (reads.some((token) => hasToken(text, token)) ? [text] : [])),
  );
  const unique = [...new Set(lines)].slice(0, linesMax);
  if (unique.length === 0) return unread;
  const replace = (text: string): string => withReads(text, reads);
  return {
    output: mapNumbers(mapTexts(marked, replace), reads),
    lines: unique.map(replace),
    reads: reads.map(generalizeDigits),
    seen: last.hash,
  };
}

/** The answer of a replay, or the reason why it cannot be given. */
export type ReadAnswer = { readonly output: JsonValue } | { readonly reason: string };

/** Observations of a replay: its last page, and whether all earlier observations equal the recording. */
export interface Replayed {
  readonly last: PageView;
  /** Whether every earlier page, and every file and mail that the replay read, is as recorded. */
  readonly isUnchanged: boolean;
  readonly marks: Marks;
}

/** Returns the answer of a replay, read from its last page, or the reason why it cannot be given. */
export function readAnswer(answer: ScriptAnswer, { last, isUnchanged, marks }: Replayed): ReadAnswer {
  if (last.hash === answer.seen && isUnchanged && answer.reads.length === 0)
    return { output: mapTexts(answer.output, (text) => marks.fill(text)) };
  if (answer.lines === null)
    return { reason: 'a page differs from that of the recorded run, and the answer depends on all of them' };
  const found = new Map<string, string>();
  for (const line of answer.lines) {
    const match = last.lines.map(({ text }) => matchLine(text, line, answer.reads)).find((one) => one !== null);
    if (match === undefined) return { reason: `the last page does not show "${line}"` };
    if ([...match].some(([name, value]) => (found.get(name) ?? value) !== value))
      return { reason: `the last page shows two values in "${line}"` };
    for (const [name, value] of match) found.set(name, value);
  }
  return { output: mapTexts(answer.output, (text) => filled(text, found, marks)) };
}

function filled(text: string, found: ReadonlyMap<string, string>, marks: Marks): JsonValue {
  const number = /^@\{\{number\.(\d+)\}\}$/.exec(text)?.[1];
  if (number !== undefined) return toNumber(found.get(number) ?? '');
  return marks.fill(text.replaceAll(/@\{\{read\.(\d+)\}\}/g, (whole, index: string) => found.get(index) ?? whole));
}

/** Returns the texts and numbers of an output; null when it contains a boolean, which no page shows as text. */
function textsIn(output: JsonValue): string[] | null {
  if (typeof output === 'boolean') return null;
  if (typeof output === 'string') return [output];
  if (typeof output === 'number') return [String(output)];
  if (output === null) return [];
  const all = (Array.isArray(output) ? output : Object.values(output)).map(textsIn);
  return all.includes(null) ? null : all.flatMap((texts) => texts ?? []);
}

const tokenPattern = /@\{\{[^}]*\}\}|[\p{L}\p{N}]+(?:[.,:_/+-][\p{L}\p{N}]+)*/gu;

/** Returns the words of a text that contain a digit; marks are omitted. */
function tokensIn(text: string): string[] {
  return Array.from(text.matchAll(tokenPattern), ([word]) => word).filter(
    (word) => !word.startsWith('@') && /\d/.test(word),
  );
}

function hasToken(text: string, token: string): boolean {
  return tokensIn(text).some((word) => isSame(word, token));
}

/** Returns whether two words are equal, or numbers of equal value. */
function isSame(word: string, token: string): boolean {
  return word === token || (isNumber(word) && isNumber(token) && toNumber(word) === toNumber(token));
}

function isNumber(text: string): boolean {
  return /^\d+(?:,\d{3})*(?:\.\d+)?$/.test(text);
}

function toNumber(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/**
 * Returns whether a page has no other word that differs from a token only in its digits. Different spellings of one
 * number are the same word.
 */
function isAlone(token: string, lines: readonly PageLine[]): boolean {
  const words = lines.flatMap(({ text }) => tokensIn(text));
  return words.every((word) => isSame(word, token) || generalizeDigits(word) !== generalizeDigits(token));
}

function generalizeDigits(token: string): string {
  return token.replaceAll(/\d+/g, '#');
}

/** Returns whether an output contains a word that a list on the last page shows and the task does not contain. */
function dependsOnList(texts: readonly string[], { last, task }: Ending): boolean {
  const given = wordsIn(task);
  const listed = new Set(last.lines.flatMap(({ text, isListed }) => (isListed ? [...wordsIn(text)] : [])));
  return texts.some((text) => [...wordsIn(text)].some((word) => listed.has(word) && !given.has(word)));
}

/** Returns those words of a text that have at least four characters or a digit, in lower case. */
export function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= 4 || /\d/.test(word)));
}

/** Returns the lines of `free` that were not on the page before the last action; empty if that page is unknown. */
function listResultLines({ before }: Ending, free: readonly PageLine[]): string[] {
  if (before === null) return [];
  const old = new Set(before.lines.map(({ text }) => text));
  return free.flatMap(({ text }) => (old.has(text) ? [] : [text]));
}

/** Returns a text with `@{{read.N}}` in place of each word that equals the Nth read token, from 1. */
function withReads(text: string, reads: readonly string[]): string {
  return text.replaceAll(tokenPattern, (word) => {
    const index = word.startsWith('@') ? -1 : reads.findIndex((read) => isSame(word, read));
    return index < 0 ? word : `@{{read.${index + 1}}}`;
  });
}

function mapNumbers(value: JsonValue, reads: readonly string[]): JsonValue {
  if (typeof value === 'number') {
    const index = reads.findIndex((read) => isSame(String(value), read));
    return index < 0 ? value : `@{{number.${index + 1}}}`;
  }
  if (Array.isArray(value)) return value.map((one) => mapNumbers(one, reads));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapNumbers(member, reads)]));
}

/**
 * Compares a text with a line of a script, which can contain marks such as `@{{read.1}}`. Returns the parts of the text
 * at these marks, by the numbers of the marks; null if the text does not match. A mark matches all digits at its
 * position, so the comparison takes linear time.
 */
function matchLine(text: string, line: string, reads: readonly string[]): Map<string, string> | null {
  const found = new Map<string, string>();
  let at = 0;
  for (const [index, part] of line.split(/@\{\{read\.(\d+)\}\}/).entries()) {
    const isRead = index % 2 === 1;
    const end = isRead ? findShapeEnd(text, at, reads[Number(part) - 1] ?? '') : findPartEnd(text, at, part);
    if (end < 0) return null;
    if (isRead) found.set(part, text.slice(at, end));
    at = end;
  }
  return at === text.length ? found : null;
}

function findPartEnd(text: string, at: number, part: string): number {
  return text.startsWith(part, at) ? at + part.length : -1;
}

/**
 * Returns the end of the part of a text that begins at `from` and matches a shape; -1 without a match. `#` in the shape
 * stands for one or more digits.
 */
function findShapeEnd(text: string, from: number, shape: string): number {
  let at = from;
  for (const [index, part] of shape.split('#').entries()) {
    if (index > 0) {
      const first = at;
      while (/\d/.test(text[at] ?? '')) at += 1;
      if (at === first) return -1;
    }
    if (!text.startsWith(part, at)) return -1;
    at += part.length;
  }
  return at;
}
