import { MARK } from '../quoting.ts';
import type { Piece } from './directive.ts';
import { splitItems } from './split-items.ts';

/** Values for fields out of a list such as `the name Ada, the subject "Hello"`; `unquote` takes the quotation marks off. */
export function readPieces(list: string, unquote: (text: string) => string): Piece[] {
  return splitItems(list).map((item) => readPiece(item, unquote));
}

function readPiece(item: string, unquote: (text: string) => string): Piece {
  const quotation = new RegExp(MARK).exec(item);
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
