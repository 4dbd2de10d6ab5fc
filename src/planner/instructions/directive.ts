/** A value with its field name in one text, such as `street Hafenweg 12`; the page determines where the name ends. */
export interface Piece {
  /** Without quotation marks; with a quotation the words that name the field alone. */
  readonly text: string;
  /** The value when it stands in quotation marks. */
  readonly quoted: string | null;
}

/** One thing that a person asks to be done on a page, before the page is known. */
export type Directive =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'visit'; readonly what: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'press'; readonly what: string; readonly near: string | null; readonly isOptional: boolean }
  | { readonly kind: 'pressUntil'; readonly what: string; readonly until: string }
  /** Presses what sends or saves: the control of that name, or else the only one of the form. */
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
  /** What the task is about, in words that the directives after it spell out. */
  | { readonly kind: 'headline'; readonly what: string }
  /** Where the next thing is to be done. */
  | { readonly kind: 'place'; readonly where: string }
  /** What "it" means after it. */
  | { readonly kind: 'mention'; readonly what: string }
  /** What must not be pressed. */
  | { readonly kind: 'avoid'; readonly what: string }
  /** Questions of the page are answered with yes. */
  | { readonly kind: 'agree' };

/** What the words of a goal mean, or the first of them that mean nothing here. */
export type Instructions =
  | { readonly kind: 'understood'; readonly directives: readonly Directive[] }
  | { readonly kind: 'unclear'; readonly part: string };

/** A way of saying what is to be done. */
export interface Rule {
  /** What it stands for in the reference. */
  readonly name: string;
  /** One line for people. */
  readonly description: string;
  /** Instructions that it reads; a test holds it to them. */
  readonly examples: readonly string[];
  /** Matches a whole segment, words of order taken off. */
  readonly pattern: RegExp;
  /** What the parts mean; null when they mean something else. Quotation marks are on. */
  readonly read: (deps: Parts) => readonly Directive[] | null;
}

/** The parts that a pattern found. */
export interface Parts {
  /** A part without quotation marks, empty when it was not found. */
  readonly of: (name: string) => string;
  /** A part as it stands. */
  readonly raw: (name: string) => string;
  readonly unquote: (text: string) => string;
}
