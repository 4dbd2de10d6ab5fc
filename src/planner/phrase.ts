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
  /** Description in one line. */
  readonly description: string;
  /** Example goals; the documentation shows them and a test parses them. */
  readonly examples: readonly string[];
  /** Matches a complete clause; the names of its groups are those that `actions` reads. */
  readonly pattern: RegExp;
  /** Returns the actions for the matched parts without quotation marks; null when they are not understood. */
  readonly actions: (parts: Readonly<Record<string, string>>) => readonly Action[] | null;
}

/** Verbs that request information. */
export const READ_VERB =
  "(?:(?:tell|give|show|send)\\s+me|(?:reply|respond|answer)\\s+with|list|read|report|return|get|find|extract|collect|note|copy|what\\s+(?:is|are)|what's)";
/** Words before an instruction that are polite or tell its order, such as "please" and "then". */
const BEFORE =
  '(?:(?:please|just|simply|now|first|next|finally|also|then|and|can\\s+you|could\\s+you|would\\s+you|i\\s+want\\s+you\\s+to)\\s+)*';

/** Returns a pattern for a complete clause with optional polite words. */
export function clause(body: string): RegExp {
  return new RegExp(`^${BEFORE}${body}(?:\\s+(?:please|for\\s+me|to\\s+me))*$`, 'iu');
}
