import type { JsonValue } from '#lib/json.ts';
import { isWithin } from '#lib/json-size.ts';

/**
 * Returns the JSON document in a model's reply. Tries the whole text, then its first code fence with JSON or without a
 * language, then the text from its first bracket. Returns undefined if none of them parses within the structure limits.
 */
export function extractJson(text: string): JsonValue | undefined {
  const fenced = firstFence(text, (language) => language === '' || language === 'json');
  const candidates = [text, fenced, bracketed(text)];
  for (const candidate of candidates) {
    const value = candidate === undefined ? undefined : parsed(candidate.trim());
    if (value !== undefined) return value;
  }
  return undefined;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Returns the text from the first bracket to the matching closing bracket, ignoring brackets in strings; undefined
 * without a closed pair. Takes linear time.
 */
function bracketed(text: string): string | undefined {
  const start = text.search(/[[{]/);
  if (start === -1) return undefined;
  const open: string[] = [];
  for (let at = start; at < text.length; at += 1) {
    const token = text.charAt(at);
    const closer = closing[token];
    if (token === '"') at = findStringEnd(text, at);
    else if (closer !== undefined) open.push(closer);
    else if (token === open.at(-1)) open.pop();
    if (open.length === 0) return text.slice(start, at + 1);
  }
  return undefined;
}

/** Returns the index of the quotation mark that ends a string; the length of the text if the string does not end. */
function findStringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** Structure limits of an output. The length of its text is limited by the maximum output tokens of the reply. */
const bounds = { depth: 100, values: 20_000 };

function parsed(text: string): JsonValue | undefined {
  if (!isWithin(Buffer.from(text), bounds)) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Returns the program of a reply: the contents of the first code fence whose language is empty or one word of letters,
 * else the whole text.
 */
export function extractCode(text: string): string {
  return (firstFence(text, (language) => /^[a-z]*$/.test(language)) ?? text).trim();
}

const fence = '```';
/** Maximum length of the language name after the opening fence of a code block. */
const languageMax = 40;

/**
 * Returns the contents of the first code fence whose language `isWanted` accepts (empty for no language). Undefined if
 * no such fence exists or the fence is not closed. Takes linear time, because replies are untrusted input.
 */
function firstFence(text: string, isWanted: (language: string) => boolean): string | undefined {
  for (let at = text.indexOf(fence); at >= 0; at = text.indexOf(fence, at)) {
    at += fence.length;
    const head = text.slice(at, at + languageMax);
    const lineEnd = head.indexOf('\n');
    if (lineEnd < 0) continue;
    const from = at + lineEnd + 1;
    const to = text.indexOf(fence, from);
    if (to < 0) return undefined;
    if (isWanted(head.slice(0, lineEnd).trim().toLowerCase())) return text.slice(from, to);
    at = to + fence.length;
  }
  return undefined;
}
