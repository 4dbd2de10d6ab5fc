import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A phrase to avoid. */
export interface Phrase {
  readonly phrase: string;
  /** Recommended replacement of the phrase. */
  readonly use: string;
  /** Whether the phrase is also forbidden in names and paths. */
  readonly isVocabulary: boolean;
}

/** Reads the phrases to avoid from tools/lint-words/phrases.yaml. */
export function readPhrases(): Phrase[] {
  const file = new URL('phrases.yaml', import.meta.url);
  const { prose, vocabulary }: Record<'prose' | 'vocabulary', Omit<Phrase, 'isVocabulary'>[]> = parse(
    readFileSync(file, 'utf8'),
  );
  return [
    ...prose.map((row) => ({ ...row, isVocabulary: false })),
    ...vocabulary.map((row) => ({ ...row, isVocabulary: true })),
  ];
}

/** A phrase to avoid that was found in a text. */
export interface Hit {
  readonly file: string;
  /** Line of the file in which the phrase begins, counted from 1; 0 if the path of the file contains the phrase. */
  readonly line: number;
  readonly phrase: string;
  readonly use: string;
}

/** A text that people read. */
export interface Passage {
  readonly file: string;
  /** Line where the text begins, counted from 1. */
  readonly line: number;
  readonly text: string;
  /** Whether the text consists of the words of an identifier or a path. */
  readonly isName: boolean;
}

/**
 * Returns a function that finds every phrase in a passage; in a name, only phrases with `isVocabulary`. A line break
 * between two words of a phrase counts as a blank. A hyphen continues a word: `the one-shot run` does not contain `the
 * one`.
 */
export function phraseFinder(phrases: readonly Phrase[]): (passage: Passage) => Hit[] {
  const uses = new Map(phrases.map(({ phrase, use }) => [phrase, use]));
  const pattern = (rows: readonly Phrase[]): RegExp =>
    new RegExp(`\\b(?:${rows.map(({ phrase }) => phrase.replaceAll(' ', '[\\s*/#]+')).join('|')})\\b(?!-\\w)`, 'gi');
  const anywhere = pattern(phrases);
  const inNames = pattern(phrases.filter(({ isVocabulary }) => isVocabulary));
  return ({ file, line, text, isName }) =>
    [...text.matchAll(isName ? inNames : anywhere)].map((match) => {
      const phrase = match[0].toLowerCase().replaceAll(/[\s*/#]+/g, ' ');
      const before = text.slice(0, match.index).split('\n').length - 1;
      return { file, line: line + before, phrase, use: uses.get(phrase) ?? '' };
    });
}
