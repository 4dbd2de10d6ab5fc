import { MARK, type Quoted, quote } from '../quoting.ts';
import type { Directive, Instructions } from './directive.ts';
import { readSentence } from './read-sentence.ts';
import { splitSentences } from './split-sentences.ts';
import { tidy } from './tidy.ts';

const GOAL_CHARACTERS_MAX = 10_000;
const SENTENCE_CHARACTERS_MAX = 1_000;
const DIRECTIVES_MAX = 60;

/**
 * Reads what a person wants done on a page, sentence by sentence, into directives. What they mean for a page is found out when it
 * is there; but a goal with any part that means nothing here is unclear as a whole, because doing half of what was asked can do
 * harm. Pure: never throws, and the same goal always gives the same directives.
 */
export function parseInstructions(goal: string): Instructions {
  if (goal.length > GOAL_CHARACTERS_MAX) return { kind: 'unclear', part: `${goal.slice(0, 100)}…` };
  const quoted = quote(goal.replace(/\s+/g, ' '));
  const { text, address } = withoutAddress(quoted);
  const directives: Directive[] = address === null ? [] : [{ kind: 'open', url: address }];
  for (const sentence of splitSentences({ ...quoted, text })) {
    if (sentence.text.length > SENTENCE_CHARACTERS_MAX) return { kind: 'unclear', part: quoted.restore(sentence.text) };
    const read = readSentence(sentence, { quoted, before: directives });
    if ('part' in read) return { kind: 'unclear', part: quoted.restore(read.part) };
    directives.push(...read);
  }
  if (directives.length > DIRECTIVES_MAX) return { kind: 'unclear', part: goal.slice(0, 100) };
  return tidy(directives, goal);
}

/** When a goal names one address, everything begins there, wherever it is named: "at", "on" and the like are taken out with it. */
function withoutAddress(quoted: Quoted): { readonly text: string; readonly address: string | null } {
  const marks = [...quoted.text.matchAll(new RegExp(MARK, 'g'))].map(([mark]) => mark);
  const addresses = marks.filter((mark) => /^(?:https?|data):/i.test(quoted.restore(mark)));
  const [only] = addresses;
  if (only === undefined || addresses.length > 1) return { text: quoted.text, address: null };
  const named = new RegExp(`(?:^|\\s)(?:${PLACES})?${only}`, 'i');
  const text = quoted.text.replace(named, ' ').replace(/(^|[.!?;])\s*,/g, '$1');
  return {
    text: text
      .replace(/^\s*(?:,|and\b|\.)\s*/, '')
      .replace(/\s+([.,;?!])/g, '$1')
      .trim(),
    address: quoted.unquote(only),
  };
}

const PLACES =
  '(?:(?:please\\s+)?(?:open|visit|load|go\\s+to|navigate\\s+to)\\s+(?=\\S+(?:\\s*[.,;]|\\s+and\\b|\\s*$))|(?:at|on|from|in|to|of|under|via)\\s+|the\\s+\\w+\\s+(?:is|are)\\s+(?:at|on)\\s+)';
