import type { RequirementId } from '#generated/requirements.ts';
import type { RuleBook } from '#domain/rule-book.ts';

/** A request as the suite sent it, readable by a mutant. */
export interface Seen {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

/** An answer as the good server gave it. */
export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

/** What a mutant puts in the place of a request or an answer; undefined leaves it as it is. */
export interface Tamper {
  request?(seen: Seen): Partial<Seen> | undefined;
  answer?(seen: Seen, given: Given): Partial<Given> | undefined;
}

/**
 * A server that breaks the contract in one way. Before it is run it names the requirement that has to fail and all that may
 * fail with it: the failing ids contain the first and lie within both.
 */
export interface Mutant {
  /** Permanent name, kebab-case. */
  readonly id: string;
  /** What is broken, as a sentence. */
  readonly breaks: string;
  readonly server: 'reference' | 'mock';
  readonly target: RequirementId;
  readonly mayAlso?: readonly RequirementId[];
  /** A flipped copy of the rule tables that the server decides by. */
  readonly rules?: (rules: RuleBook) => RuleBook;
  /** A change made between the suite and a good server. A function where it has to remember something of one run. */
  readonly tamper?: Tamper | (() => Tamper);
}
