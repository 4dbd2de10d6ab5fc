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
  /** Description of the instruction in one line. */
  readonly description: string;
  /** Example goals for the documentation. A test parses them. */
  readonly examples: readonly string[];
  /** Matches a complete clause of a goal. Its named groups are the members that `actions` receives. */
  readonly pattern: RegExp;
  /**
   * Returns the actions for the named groups of `pattern`, without quotation marks. Null if the planner does not
   * understand the texts of the groups.
   */
  readonly actions: (parts: Readonly<Record<string, string>>) => readonly Action[] | null;
}

/** Pattern of verbs that request information. */
export const readVerb =
  "(?:(?:tell|give|show|send)\\s+me|(?:reply|respond|answer)\\s+with|list|read|report|return|get|find|extract|collect|note|copy|what\\s+(?:is|are)|what's)";
/** Pattern of words before an instruction that have no meaning of their own, such as "please" and "then". */
const beforePattern =
  '(?:(?:please|just|simply|now|first|next|finally|also|then|and|can\\s+you|could\\s+you|would\\s+you|i\\s+want\\s+you\\s+to)\\s+)*';

/** Returns a pattern that matches a complete clause with this body, with optional polite words before and after it. */
export function clause(body: string): RegExp {
  return new RegExp(`^${beforePattern}${body}(?:\\s+(?:please|for\\s+me|to\\s+me))*$`, 'iu');
}
