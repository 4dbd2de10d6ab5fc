import type { Quoted } from '../quoting.ts';
import { MARK } from '../quoting.ts';

/** A sentence without its full stop. */
export interface Sentence {
  readonly text: string;
  readonly isQuestion: boolean;
}

/** Cuts a goal into sentences; one also ends with a quotation that ends like one, before a capital letter. */
export function splitSentences({ text, unquote }: Quoted): Sentence[] {
  const ended = text.replace(new RegExp(`(${MARK})(?=\\s+\\p{Lu})`, 'gu'), (mark: string) =>
    /[.!?]$/.test(unquote(mark).trim()) ? `${mark}.` : mark,
  );
  const parts = ended.match(/[^.!?;\n]*(?:[.!?;](?!\s|$)[^.!?;\n]*)*(?:[.!?;]+(?=\s|$)|\n|$)/g) ?? [];
  return parts
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}\uE000]/u.test(part))
    .map((part) => ({ text: part.replace(/[.!?;\s]+$/, ''), isQuestion: part.endsWith('?') }));
}
