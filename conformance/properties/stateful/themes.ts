import * as fc from 'fast-check';
import type { Script } from './script.ts';

type Part = string | fc.Arbitrary<string | Script>;

/** A script of parts in order: words, and words or scripts that are drawn. */
export function sequence(...parts: Part[]): fc.Arbitrary<Script> {
  const drawn = parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part));
  return fc.tuple(...drawn).map((words) => words.flat());
}

/** One of the words, or none. */
export function optional(...words: string[]): fc.Arbitrary<Script> {
  return fc.constantFrom(...words.map((word) => [word]), []);
}

/** All of the words in an order that is drawn. */
export function aftermath(...words: string[]): fc.Arbitrary<Script> {
  return fc.shuffledSubarray(words, { minLength: words.length });
}
