import type { JsonValue } from '#lib/json.ts';
import type { Problem } from '#contract/problems.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { HttpReply } from '#contract/http-messages.ts';

/** What `parse` hands on: every part has the shape that the operation's document asks for. */
export interface ParsedRequest {
  /** Path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters by name, coerced to their documented types, defaults filled in. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Documented headers by their documented names; absent where the request has none. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body, or undefined without one. */
  readonly body: JsonValue | undefined;
  /**
   * Returns a signal that aborts when the client disconnects; created on the first call.
   * @defaultValue the client never disconnects
   */
  readonly clientGone?: () => AbortSignal;
}

/**
 * One operation of one generation. `decide` looks and changes nothing, `apply` changes state, `render` is the only place
 * that knows the generation's member names. Methods, not function members: the registry holds operations of every kind.
 */
export interface Operation<Caller, Command, Result> {
  decide(request: ParsedRequest, caller: Caller): MaybePromise<Command | Problem>;
  apply(command: Command, caller: Caller): MaybePromise<Result | Problem>;
  render(result: Result, caller: Caller): HttpReply;
}

/** An operation whose command and result only it knows. */
export type AnyOperation<Caller> = Operation<Caller, unknown, unknown>;
