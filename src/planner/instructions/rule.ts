import type { Directive } from './directive.ts';

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
  readonly read: (parts: Parts) => readonly Directive[] | null;
}

/** The parts that a pattern found. */
export interface Parts {
  /** A part without quotation marks, empty when it was not found. */
  readonly of: (name: string) => string;
  /** A part as it stands. */
  readonly raw: (name: string) => string;
  readonly unquote: (text: string) => string;
}
