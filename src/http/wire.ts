/** A request as it came over the wire, before anything is believed. */
export interface WireRequest {
  /** Upper case. */
  readonly method: string;
  /** Path without query, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names; the first value where a header was repeated. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes of the body, empty when there is none. */
  readonly body: Uint8Array;
}

/** An answer before it is written: JSON or nothing. */
export interface WireReply {
  readonly status: number;
  /** undefined for an answer without body (204). */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
