import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { Facts } from './answer/facts.ts';

/** Result of validating a value against a schema: valid, or the violations as sentences. */
export type Judged = { readonly ok: true } | { readonly ok: false; readonly errors: readonly string[] };

/** An output that conforms to the schema, or the reason why none could be created. */
export type Conformed =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** Known values from which an output for a schema is created. */
export interface Proposal {
  /**
   * Answer of the agent. It becomes the complete output, or the value of a member with a name such as `answer`,
   * `result` or `summary`.
   */
  readonly answer: JsonValue;
  /** Values read from pages, for members with matching names; null without any. */
  readonly facts: Facts | null;
  /** Treatment of required members without a known value: `refuse` fails, `smallest` uses the smallest valid value. */
  readonly unknown: 'refuse' | 'smallest';
}

/**
 * Validates and creates outputs for the untrusted schema of a task. Works in bounded time and memory outside of the
 * main thread. Its methods do not reject for any schema or value.
 */
export interface OutputJudge {
  /** Checks a value. A schema that is invalid, too large or too slow counts as a violation. */
  check(schema: JsonObject, value: JsonValue): Promise<Judged>;
  /** Creates an output for the schema from known values. */
  conform(schema: JsonObject, proposal: Proposal): Promise<Conformed>;
}
