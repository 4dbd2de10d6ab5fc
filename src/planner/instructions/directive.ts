/** A text with a field name and a value, such as `street Hafenweg 12`. The page determines where the name ends. */
export interface Piece {
  /** Field name and value as one text. If the value is in quotation marks, only the field name. */
  readonly text: string;
  /** Value in quotation marks; null without one. */
  readonly quoted: string | null;
}

/** An instruction of a task, parsed before the page is known. */
export type Directive =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'visit'; readonly what: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'press'; readonly what: string; readonly near: string | null; readonly isOptional: boolean }
  | { readonly kind: 'pressUntil'; readonly what: string; readonly until: string }
  /** Presses the submit button: the control of that name, or else the only button of the form. */
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
  /** Topic of the task, which later directives detail. */
  | { readonly kind: 'headline'; readonly what: string }
  /** Place of the next action. */
  | { readonly kind: 'place'; readonly where: string }
  /** Meaning of "it" in later directives. */
  | { readonly kind: 'mention'; readonly what: string }
  /** Control that must not be pressed. */
  | { readonly kind: 'avoid'; readonly what: string }
  /** Accepts the dialogs of the page. */
  | { readonly kind: 'agree' };

/** Directives of a task, or the first part of its text that the planner does not understand. */
export type Instructions =
  | { readonly kind: 'understood'; readonly directives: readonly Directive[] }
  | { readonly kind: 'unclear'; readonly part: string };

/** A rule of the parser for one form of instruction. */
export interface Rule {
  /** Name in the reference documentation. */
  readonly name: string;
  /** Description in one line. */
  readonly description: string;
  /** Example instructions, which a test parses. */
  readonly examples: readonly string[];
  /** Matches a complete part of a sentence, without words before it such as "then" or "please". */
  readonly pattern: RegExp;
  /** Returns the directives for the matched parts; null when they mean something else. */
  readonly read: (deps: Parts) => readonly Directive[] | null;
}

/** The parts that a pattern matched. */
export interface Parts {
  /** Returns a part without quotation marks; empty when it did not match. */
  readonly of: (name: string) => string;
  /** Returns a part unchanged. */
  readonly raw: (name: string) => string;
  readonly unquote: (text: string) => string;
}
