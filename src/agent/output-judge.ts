import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { Facts } from './answer/facts.ts';

/** Whether a value conforms to a schema, and otherwise its violations as sentences. */
export type Judged = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

/** A conforming output, or the reason why it could not be made. */
export type Conformed =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** Known values from which an output for a schema is made. */
export interface Proposal {
  /** Used as the complete output, or for the member that a schema calls the answer. */
  readonly answer: JsonValue;
  /** Values read from pages, for members with matching names; null without any. */
  readonly facts: Facts | null;
  /** How required members without a known value are handled: with a failure, or with the smallest valid value. */
  readonly unknown: 'refuse' | 'smallest';
}

/**
 * Checks and makes outputs by the untrusted schema of a task. It works in bounded time and memory outside of the main
 * thread. No schema and no value makes a method reject.
 */
export interface OutputJudge {
  /** Checks a value. A schema that is invalid, too large or too slow counts as a violation. */
  check(schema: JsonObject, value: JsonValue): Promise<Judged>;
  /** Makes an output from known values. */
  conform(schema: JsonObject, proposal: Proposal): Promise<Conformed>;
}
