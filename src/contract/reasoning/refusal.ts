import type { ProblemCode, ProblemValues } from '../problems.ts';

/** Why a rule refuses: a code and the values of its message, never the message itself. */
export interface Refusal<Code extends ProblemCode> {
  readonly code: Code;
  readonly values: ProblemValues<Code>;
  /** The offending member, from the body down: `["thinkingLevel"]`. */
  readonly path: readonly string[];
}
