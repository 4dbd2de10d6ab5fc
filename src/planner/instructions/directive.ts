/**
 * A text with a field name and a value, such as `street Hafenweg 12`. Where the name ends is decided later, from the
 * fields of the page.
 */
export interface Piece {
  /** Field name and value as one text. If the value was quoted, only the field name. */
  readonly text: string;
  /** Value in quotation marks; null without one. */
  readonly quoted: string | null;
}

/** An instruction of a task, as parsed from the text before any page is open. */
export type Directive =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'visit'; readonly what: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'press'; readonly what: string; readonly near: string | null; readonly isOptional: boolean }
  | { readonly kind: 'pressUntil'; readonly what: string; readonly until: string }
  /** Presses the submit button: the control with this name, or else the only button of the form. */
  | { readonly kind: 'submit'; readonly verb: string; readonly what: string }
  | { readonly kind: 'assign'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'set'; readonly field: string; readonly value: string }
  | { readonly kind: 'choose'; readonly option: string; readonly field: string | null }
  | { readonly kind: 'tick'; readonly what: string; readonly isOn: boolean }
  | { readonly kind: 'replace'; readonly from: string; readonly to: string }
  | { readonly kind: 'login'; readonly user: string; readonly password: string }
  | { readonly kind: 'back' }
  | { readonly kind: 'scroll'; readonly until: string | null }
  | { readonly kind: 'basket'; readonly what: string; readonly quantity: number }
  | { readonly kind: 'sort'; readonly column: string; readonly order: 'rising' | 'falling' }
  | { readonly kind: 'upload'; readonly name: string; readonly field: string | null }
  | { readonly kind: 'download'; readonly what: string }
  | { readonly kind: 'ask'; readonly question: string; readonly about: string }
  /** Names the topic of the task, such as a form. Later directives give the details. */
  | { readonly kind: 'headline'; readonly what: string }
  /** Names the place of the next action, such as a question of the page. */
  | { readonly kind: 'place'; readonly where: string }
  /** Sets the meaning of "it" in later directives. */
  | { readonly kind: 'mention'; readonly what: string }
  /** Forbids to press the controls that match `what`. */
  | { readonly kind: 'avoid'; readonly what: string }
  /** Lets the planner accept the dialogs of the page. */
  | { readonly kind: 'agree' };

/** The directives of a task; or `unclear`, with the first part of the task that the planner does not understand. */
export type Instructions =
  | { readonly kind: 'understood'; readonly directives: readonly Directive[] }
  | { readonly kind: 'unclear'; readonly part: string };

/** A rule of the parser for one form of instruction. */
export interface Rule {
  /** Name of the rule in the reference documentation. */
  readonly name: string;
  /** Description of the rule in one line. */
  readonly description: string;
  /** Example instructions for the rule, which a test parses. */
  readonly examples: readonly string[];
  /** Matches one instruction within a sentence, without leading words such as "then" or "please". */
  readonly pattern: RegExp;
  /**
   * Returns the directives for the named groups of `pattern`. Null if the text means something else, so that the next
   * rule is tried.
   */
  readonly read: (deps: Parts) => readonly Directive[] | null;
}

/** Access to the parts of an instruction that a pattern has matched. */
export interface Parts {
  /** Returns the text of a named group without quotation marks; empty if the group did not match. */
  readonly of: (name: string) => string;
  /**
   * Returns the text of a named group with markers in place of URLs and quotations; empty if the group did not match.
   */
  readonly raw: (name: string) => string;
  readonly unquote: (text: string) => string;
}
