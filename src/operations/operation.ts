import type { JsonValue } from '#lib/json.ts';
import type { Problem } from '#contract/problems.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { HttpReply } from '#contract/http-messages.ts';

/**
 * A parsed request: every part conforms to the document of its operation, except for the keywords that
 * `x-operation-judges` leaves to `decide`.
 */
export interface ParsedRequest {
  /** Path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters by name, converted to their documented types, with defaults. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Documented headers by their documented names; a header that the request lacks is absent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body, or undefined without one. */
  readonly body: JsonValue | undefined;
  /**
   * Returns a signal that aborts when the client disconnects. The signal is created on the first call. @defaultValue
   * the client never disconnects
   */
  readonly clientGone?: () => AbortSignal;
}

/**
 * An operation of one API version. `decide` only reads state, `apply` changes state, and only `render` knows the names
 * of members in responses of the version. The members are methods, so that the compiler accepts operations with
 * different types in one table.
 */
export interface Operation<Caller, Command, Result> {
  decide(request: ParsedRequest, context: Caller): MaybePromise<Command | Problem>;
  apply(command: Command, context: Caller): MaybePromise<Result | Problem>;
  render(result: Result, context: Caller): HttpReply;
}

/** An operation with unspecified command and result types. */
export type AnyOperation<Caller> = Operation<Caller, unknown, unknown>;
