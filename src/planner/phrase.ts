import type { Action } from '#agent/answer/plan.ts';

/** A kind of instruction that the planner understands. */
export interface Phrase {
  readonly name:
    | 'open'
    | 'upload'
    | 'writeFile'
    | 'readFile'
    | 'listFiles'
    | 'download'
    | 'mailAddress'
    | 'waitForMail'
    | 'mailLink'
    | 'mailCode'
    | 'readMail'
    | 'press'
    | 'secret'
    | 'type'
    | 'search'
    | 'read'
    | 'click'
    | 'wait'
    | 'calculate'
    | 'say';
  /** One line for people. */
  readonly description: string;
  /** Goals that are understood; the documentation shows them and a test holds the parser to them. */
  readonly examples: readonly string[];
  /** Matches a whole clause; groups are named after the parts that `actions` needs. */
  readonly pattern: RegExp;
  /** Returns the actions for the parts that the pattern found, quotation marks taken off; null when the parts mean nothing here. */
  readonly actions: (parts: Readonly<Record<string, string>>) => readonly Action[] | null;
}

/** Verbs that request information. */
export const READ_VERB =
  "(?:(?:tell|give|show|send)\\s+me|(?:reply|respond|answer)\\s+with|list|read|report|return|get|find|extract|collect|note|copy|what\\s+(?:is|are)|what's)";
/** Words of politeness and order that may stand before any instruction. */
const BEFORE =
  '(?:(?:please|just|simply|now|first|next|finally|also|then|and|can\\s+you|could\\s+you|would\\s+you|i\\s+want\\s+you\\s+to)\\s+)*';

/** A pattern for a whole clause, with the words that people put around it. */
export function clause(body: string): RegExp {
  return new RegExp(`^${BEFORE}${body}(?:\\s+(?:please|for\\s+me|to\\s+me))*$`, 'iu');
}
