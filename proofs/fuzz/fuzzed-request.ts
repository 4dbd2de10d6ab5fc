import type { Pool } from 'undici';
import { type JsonValue, parseJson } from '#conformance/core/json.ts';
import type { OperationKey } from '#conformance/core/operations.ts';

/**
 * A generated request. Bytes are strings with one character per byte. Placeholders `@{name:number}` stand for values
 * that are unknown at generation, such as the id of a session. `World.resolve` replaces them before the request is
 * sent.
 */
export type FuzzedRequest = CallRequest | RawRequest;

/** An HTTP request, possibly invalid. */
export interface CallRequest {
  readonly kind: 'call';
  /** The operation whose document the response must conform to; null for an unknown path or method. */
  readonly operation: OperationKey | null;
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Bytes of the body; null without a body. */
  readonly body: string | null;
  /** Whether the request has a valid key, or needs no key because its URL is signed. */
  readonly hasKey: boolean;
}

/** Bytes for a connection, not necessarily HTTP. */
export interface RawRequest {
  readonly kind: 'raw';
  /**
   * Pieces of the bytes, which are written one after the other. Then the sending direction of the connection is closed.
   */
  readonly pieces: readonly string[];
  /** Number of responses that the service must send; null when unknown. */
  readonly answers: number | null;
}

/** Returns the placeholder of an id or URL. For example, `@{v4.run_id:17}` stands for one of the known V4 runs. */
export function placeholder(name: string, number: number): string {
  return `@{${name}:${number}}`;
}

/** Response to a call. */
export interface CallAnswer {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Values of the headers by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Parsed body; undefined when the body is empty or no JSON. */
  readonly json: JsonValue | undefined;
  /** Reason why no response arrived. */
  readonly fault?: string;
}

/**
 * Sends a request, whose placeholders have been replaced, over a pool of connections. If no response arrives, returns
 * status 0 and the reason.
 */
export async function sendCall(pool: Pool, request: CallRequest): Promise<CallAnswer> {
  try {
    const { statusCode, headers, body } = await pool.request({
      // Any token is a valid method; the library's type lists only the common methods.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      method: request.method as 'GET',
      path: request.path,
      headers: request.headers.flat(),
      ...(request.body === null ? {} : { body: Buffer.from(request.body, 'latin1') }),
    });
    const text = await body.text();
    const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    return { status: statusCode, headers: new Map(named), body: text, json: text === '' ? undefined : parseJson(text) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? `${String(error.code)} ` : '';
    return { status: 0, headers: new Map(), body: '', json: undefined, fault: `${code}${String(error)}` };
  }
}
