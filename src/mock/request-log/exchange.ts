import type { JsonValue } from '#lib/json.ts';

/** A call as the network saw it. */
export interface LogExchange {
  /** Upper case. */
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** undefined where none was read, or it is no JSON. */
  readonly body: JsonValue | undefined;
  readonly status: number;
  /** The body of the answer; undefined for none. */
  readonly answer: unknown;
}
