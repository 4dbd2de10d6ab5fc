/** One documented operation with its full path, for example `/api/v3/sessions/{session_id}`. */
export interface Route {
  readonly id: string;
  readonly version: 'v2' | 'v3' | 'v4';
  /** HTTP method in upper case. */
  readonly method: string;
  readonly path: string;
}

/** A route as named in metrics and traces: a documented operation, or an operation of the console. */
export interface NamedRoute extends Omit<Route, 'version'> {
  readonly version: Route['version'] | 'console';
}

/** Result of `readBody` for a body that exceeds the limit. */
export const tooLarge = 'tooLarge';

/**
 * An HTTP request before validation. Its body is read only on demand, so that a request without a valid key is rejected
 * unread.
 */
export interface HttpRequest {
  /** The request id in logs and internal errors. */
  readonly id: string;
  /** The client's IP address, taken from the connection or from a trusted proxy; empty after a disconnect. */
  readonly address: string;
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path without query, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Header names are lower case; repeated headers are joined by commas (RFC 9110). */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Called with the route of the request when the route is known. */
  readonly matched?: (route: NamedRoute) => void;
  /** Maximum size of the body, in bytes. */
  readonly bodyLimit: number;
  /**
   * Returns a signal that aborts when the client disconnects or the response has been sent. @defaultValue the client
   * never disconnects
   */
  readonly clientGone?: () => AbortSignal;
  /** Reads the body; empty when the request has none, `tooLarge` when the body exceeds `bodyLimit`. */
  readBody(): Promise<Uint8Array | typeof tooLarge>;
}

/** A response before it is written: a JSON body or none. */
export interface HttpReply {
  readonly status: number;
  /** Body as a JSON value; undefined for a response without a body (204). */
  readonly body: unknown;
  /**
   * The body as serialised text: JSON, or the content type that `headers` names. @defaultValue `body` is serialised
   * when the response is written
   */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
