/** One documented operation with its full path, for example `/api/v3/sessions/{session_id}`. */
export interface Route {
  readonly id: string;
  readonly version: 'v2' | 'v3' | 'v4';
  /** Upper case. */
  readonly method: string;
  readonly path: string;
}

/** A route as it is named where requests are counted and traced: an operation of a generation, or one of the console. */
export interface NamedRoute extends Omit<Route, 'version'> {
  readonly version: Route['version'] | 'console';
}

/** What `readBody` answers for a body over the limit. */
export const tooLarge = 'tooLarge';

/** A request as it came over the wire, before anything is believed. Its body is unread: a caller without a key is told so first. */
export interface WireRequest {
  /** Names the request in the log and in an internal error. */
  readonly id: string;
  /** Where the request comes from: the peer of its connection, or whom a trusted proxy speaks for; empty when the connection is gone. */
  readonly address: string;
  /** Upper case. */
  readonly method: string;
  /** Path without query, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names; a header that was repeated is joined by commas, as HTTP has it. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Told the operation that answers, once one is found. @defaultValue nobody wants to know */
  readonly matched?: (route: NamedRoute) => void;
  /** The largest body that is read, in bytes. */
  readonly bodyLimit: number;
  /** Aborted when the client disconnects; made on the first call. @defaultValue the client never disconnects */
  readonly clientGone?: () => AbortSignal;
  /** The bytes of the body, empty when there is none. */
  readBody(): Promise<Uint8Array | typeof tooLarge>;
}

/** An answer before it is written: JSON or nothing. */
export interface WireReply {
  readonly status: number;
  /** undefined for an answer without body (204). */
  readonly body: unknown;
  /** The body as JSON, where somebody has made that already. @defaultValue whoever writes it does */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
