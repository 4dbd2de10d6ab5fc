import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { Facts } from './answer/facts.ts';

/** Whether a value conforms to a schema, and what is wrong with it in words. */
export type Judged = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

/** A conforming output, or why none could be made. */
export type Conformed =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** What an output is made from. */
export interface Proposal {
  /** Taken for the whole output, or for the member that a schema calls the answer. */
  readonly answer: JsonValue;
  /** What was read, for members that are named after it; null for nothing. */
  readonly facts: Facts | null;
  /** What becomes of a required member that nothing is known of. */
  readonly unknown: 'refuse' | 'smallest';
}

/**
 * Judges and makes outputs by the schema of a task, which comes from outside: in bounded time and memory, and not in the thread that
 * serves. No schema and no value makes a method reject.
 */
export interface OutputJudge {
  /** A schema that is too large, too slow or none at all is a fault of the value. */
  check(schema: JsonObject, value: JsonValue): Promise<Judged>;
  /** Makes an output from what is known. */
  conform(schema: JsonObject, proposal: Proposal): Promise<Conformed>;
}
