import * as fc from 'fast-check';
import type { Script } from './script.ts';

type Part = string | fc.Arbitrary<string | Script>;

/** Generates a script from parts in order: fixed words, and generated words or scripts. */
export function sequence(...parts: Part[]): fc.Arbitrary<Script> {
  const drawn = parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part));
  return fc.tuple(...drawn).map((words) => words.flat());
}

/** Generates one of the words, or an empty script. */
export function optional(...words: string[]): fc.Arbitrary<Script> {
  return fc.constantFrom(...words.map((word) => [word]), []);
}

/** Generates all of the words in random order. */
export function aftermath(...words: string[]): fc.Arbitrary<Script> {
  return fc.shuffledSubarray(words, { minLength: words.length });
}
