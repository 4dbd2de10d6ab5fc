import type { OperationKey } from '../../conformance/core/operations.ts';

/**
 * A generated request. Bytes are strings with one character per byte. Values that are unknown at generation, such as
 * the id of a session, are placeholders `@{name:number}`, which the world resolves before sending.
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
  /** Bytes of the body; null without one. */
  readonly body: string | null;
  /** Whether it has a valid key. */
  readonly hasKey: boolean;
}

/** Bytes for a connection, not necessarily HTTP. */
export interface RawRequest {
  readonly kind: 'raw';
  /** Pieces that are written one after the other before the writing side is closed. */
  readonly pieces: readonly string[];
  /** Number of expected responses; null when unknown. */
  readonly answers: number | null;
}

/** Returns the placeholder of an id or URL. For example, `@{v4.run_id:17}` stands for one of the known V4 runs. */
export function placeholder(name: string, number: number): string {
  return `@{${name}:${number}}`;
}
