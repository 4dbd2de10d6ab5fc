import type { JsonValue } from '#lib/json.ts';
import type { PageLine, PageView } from './page-view.ts';
import type { ScriptAnswer } from './script-file.ts';
import { escapePattern, mapTexts, type Marks } from './template.ts';

/** End of a successful run. */
export interface Ending {
  readonly output: JsonValue;
  /** The last page. */
  readonly last: PageView;
  /** The page before the last action; null when no action changed a page. */
  readonly before: PageView | null;
  /** The template of the task. */
  readonly task: string;
  readonly marks: Marks;
}

/** Maximum number of lines that the last page has to show. */
const LINES_MAX = 40;
const LINE_MAX = 500;

/**
 * Returns how the answer of a run is made again. Its numbers are read from the lines where they stood, if no other text
 * of the page looks alike and the rest of the answer does not come from a list. Otherwise the answer holds only while
 * all pages are as they were.
 */
export function makeAnswer(ending: Ending): ScriptAnswer {
  const { output, last, marks } = ending;
  const marked = mapTexts(output, (text) => marks.mark(text));
  const unread: ScriptAnswer = { output: marked, lines: null, reads: [], seen: last.hash };
  const texts = textsIn(marked);
  if (texts === null || dependsOnList(texts, ending)) return unread;
  const reads = [...new Set(texts.flatMap((text) => tokensIn(text)))].filter((token) => !hasToken(ending.task, token));
  const free = last.lines.filter(({ isListed, text }) => !isListed && text.length <= LINE_MAX);
  if (reads.some((token) => !isAlone(token, last.lines) || !free.some(({ text }) => hasToken(text, token))))
    return unread;
  const lines = linesOfResult(ending, free).concat(
    free.flatMap(({ text }) => (reads.some((token) => hasToken(text, token)) ? [text] : [])),
  );
  const unique = [...new Set(lines)].slice(0, LINES_MAX);
  if (unique.length === 0) return unread;
  const replace = (text: string): string => withReads(text, reads);
  return {
    output: mapNumbers(mapTexts(marked, replace), reads),
    lines: unique.map(replace),
    reads: reads.map(shapeOf),
    seen: last.hash,
  };
}

/** The answer of a replay, or the reason why it cannot be given. */
export type ReadAnswer = { readonly output: JsonValue } | { readonly reason: string };

/** What a replay has seen. */
export interface Replayed {
  readonly last: PageView;
  /** Whether every page before the last one was as recorded. */
  readonly isUnchanged: boolean;
  readonly marks: Marks;
}

/** Makes the answer of a replay from its last page. */
export function readAnswer(answer: ScriptAnswer, { last, isUnchanged, marks }: Replayed): ReadAnswer {
  if (last.hash === answer.seen && isUnchanged && answer.reads.length === 0)
    return { output: mapTexts(answer.output, (text) => marks.fill(text)) };
  if (answer.lines === null)
    return { reason: 'a page differs from that of the recorded run, and the answer depends on all of them' };
  const found = new Map<string, string>();
  for (const line of answer.lines) {
    const pattern = linePattern(line, answer.reads);
    const groups = last.lines.map(({ text }) => pattern.exec(text)).find((match) => match !== null)?.groups;
    const match = groups ?? (last.lines.some(({ text }) => pattern.test(text)) ? {} : null);
    if (match === null) return { reason: `the last page does not show "${line}"` };
    for (const [name, value] of Object.entries(match)) {
      if (found.has(name) && found.get(name) !== value)
        return { reason: `the last page shows two values in "${line}"` };
      found.set(name, value);
    }
  }
  return { output: mapTexts(answer.output, (text) => filled(text, found, marks)) };
}

function filled(text: string, found: ReadonlyMap<string, string>, marks: Marks): JsonValue {
  const number = /^@\{\{number\.(\d+)\}\}$/.exec(text)?.[1];
  if (number !== undefined) return toNumber(found.get(`read${number}`) ?? '');
  return marks.fill(
    text.replaceAll(/@\{\{read\.(\d+)\}\}/g, (whole, index: string) => found.get(`read${index}`) ?? whole),
  );
}

/** Returns the texts and numbers of an output; null when it contains a truth value, which no text of a page shows. */
function textsIn(output: JsonValue): string[] | null {
  if (typeof output === 'boolean') return null;
  if (typeof output === 'string') return [output];
  if (typeof output === 'number') return [String(output)];
  if (output === null) return [];
  const all = (Array.isArray(output) ? output : Object.values(output)).map(textsIn);
  return all.includes(null) ? null : all.flatMap((texts) => texts ?? []);
}

const TOKEN = /@\{\{[^}]*\}\}|[\p{L}\p{N}][\p{L}\p{N}.,:_/+-]*/gu;

/** Returns the words of a text that contain a digit, without marks. */
function tokensIn(text: string): string[] {
  return Array.from(text.matchAll(TOKEN), ([word]) => word.replace(/[.,:/+-]+$/, '')).filter(
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

/** Returns whether no other word of a page looks like a token. */
function isAlone(token: string, lines: readonly PageLine[]): boolean {
  const words = lines.flatMap(({ text }) => tokensIn(text));
  return words.every((word) => isSame(word, token) || shapeOf(word) !== shapeOf(token));
}

function shapeOf(token: string): string {
  return token.replaceAll(/\d+/g, '#');
}

/** Returns whether the words of an output come from a list of the last page. */
function dependsOnList(texts: readonly string[], { last, task }: Ending): boolean {
  const given = wordsIn(task);
  const listed = new Set(last.lines.flatMap(({ text, isListed }) => (isListed ? [...wordsIn(text)] : [])));
  return texts.some((text) => [...wordsIn(text)].some((word) => listed.has(word) && !given.has(word)));
}

/** Returns the words of a text that carry meaning, in lower case. */
export function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= 4 || /\d/.test(word)));
}

/** Returns the lines that the last action brought. */
function linesOfResult({ before }: Ending, free: readonly PageLine[]): string[] {
  if (before === null) return [];
  const old = new Set(before.lines.map(({ text }) => text));
  return free.flatMap(({ text }) => (old.has(text) ? [] : [text]));
}

/** Returns a text with `@{{read.1}}` in place of the first read token. */
function withReads(text: string, reads: readonly string[]): string {
  return text.replaceAll(TOKEN, (word) => {
    const token = word.replace(/[.,:/+-]+$/, '');
    const index = word.startsWith('@') ? -1 : reads.findIndex((read) => isSame(token, read));
    return index < 0 ? word : `@{{read.${index + 1}}}${word.slice(token.length)}`;
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

/** Matches a line; its groups `read1` and so on are the texts to read. */
function linePattern(line: string, reads: readonly string[]): RegExp {
  const seen = new Set<string>();
  const parts = line.split(/@\{\{read\.(\d+)\}\}/).map((part, index) => {
    if (index % 2 === 0) return escapePattern(part);
    const shape = (reads[Number(part) - 1] ?? '').split('#').map(escapePattern).join('\\d{1,12}');
    if (seen.has(part)) return `\\k<read${part}>`;
    seen.add(part);
    return `(?<read${part}>${shape})`;
  });
  return new RegExp(`^${parts.join('')}$`, 'u');
}
