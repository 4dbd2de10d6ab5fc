import { markPattern, type Quoted } from '../quoting.ts';
import type { Piece } from './directive.ts';

/** A sentence without its full stop. */
export interface Sentence {
  readonly text: string;
  readonly isQuestion: boolean;
}

/**
 * Splits a goal into sentences. A quotation with a final full stop also ends a sentence, if a capital letter follows
 * the quotation.
 */
export function splitSentences({ text, unquote }: Quoted): Sentence[] {
  const ended = text.replace(new RegExp(`(${markPattern})(?=\\s+\\p{Lu})`, 'gu'), (mark: string) =>
    /[.!?]$/.test(unquote(mark).trim()) ? `${mark}.` : mark,
  );
  const parts = ended.match(/[^.!?;\n]*(?:[.!?;](?!\s|$)[^.!?;\n]*)*(?:[.!?;]+(?=\s|$)|\n|$)/g) ?? [];
  return parts
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}\uE000]/u.test(part))
    .map((part) => ({ text: part.replace(/[.!?;\s]+$/, ''), isQuestion: part.endsWith('?') }));
}

/** Returns the members of a list such as `a, b and c`. */
export function splitItems(text: string): string[] {
  return text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/**
 * Parses a list of values for fields, such as `the name Ada, the subject "Hello"`. `unquote` replaces a marker by the
 * quotation without its quotation marks.
 */
export function readPieces(list: string, unquote: (text: string) => string): Piece[] {
  return splitItems(list).map((item) => readPiece(item, unquote));
}

function readPiece(item: string, unquote: (text: string) => string): Piece {
  const quotation = new RegExp(markPattern).exec(item);
  const bare = item
    .replace(/\s+(?:should be|is|are|was|were|be)\s+/i, ' ')
    .replace(/^(?:it|they)\s+(?:is|are|was|were|has|have)\s+/i, '')
    .replace(/^(?:the|a|an|my|your|his|her|their|our)\s+/i, '')
    .replace(/\s*:\s*/, ' ');
  if (quotation === null) return { text: unquote(bare).trim(), quoted: null };
  const field = bare
    .replace(quotation[0], ' ')
    .replace(/^\s*(?:as|for|in|into|to)\s+/i, '')
    .replace(/^(?:the|a|my|your)\s+/i, '');
  return { text: unquote(field).replace(/\s+/g, ' ').trim(), quoted: unquote(quotation[0]) };
}
