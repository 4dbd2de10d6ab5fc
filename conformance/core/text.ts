import type { JsonValue } from './json.ts';

/** The seed and the tag of a run, which become part of unique names. */
export interface NameParts {
  seed: number;
  stamp: string;
}

/** Returns a text that is unique in the account, by which a scenario finds its own resources. */
export function uniqueText({ seed, stamp }: NameParts, purpose: string): string {
  return `svc-check ${purpose} ${seed.toString(36)}-${stamp}`;
}

/** Returns one word that is unique in the account. */
export function uniqueWord({ seed, stamp }: NameParts, purpose: string): string {
  return `${purpose}${seed.toString(36)}${stamp}`;
}

/**
 * Returns a note of two lines, the second of which is the word. The first line has more than 100 characters, so that a
 * copy that is cut after its first line or its first 100 characters lacks the word.
 */
export function noteEndingWith(word: string): string {
  return `This note has two lines of text. The first one, which you are reading now, is a long one; the second one is a word.\n${word}`;
}

/**
 * Returns a text of `length` characters, at least 1. Its last character differs from the others, so that a check
 * recognises a truncated value.
 */
export function createText(length: number): string {
  return `${'x'.repeat(length - 1)}y`;
}

/** Returns -1, 0 or 1 if the first text is before, equal to or after the second in the order of UTF-16 code units. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Returns a value as JSON text, shortened for messages; `nothing` for undefined. */
export function show(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
