import type { OperationKey } from '../../conformance/core/operations.ts';

/**
 * One request as it was drawn. Bytes are text of which each letter is one byte. What was not known when it was drawn, such as the id
 * of a session, stands in it as `@{name:number}`: the world says what that is when it is sent.
 */
export type FuzzedRequest = CallRequest | RawRequest;

/** A request of HTTP as clients send it; what is wrong about it is what it says. */
export interface CallRequest {
  readonly kind: 'call';
  /** The operation whose document the answer has to fit; null where the path or the method is none of theirs. */
  readonly operation: OperationKey | null;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Bytes; null for none. */
  readonly body: string | null;
  /** Whether it carries a key that is good. */
  readonly hasKey: boolean;
}

/** Bytes on a connection, which need not be HTTP. */
export interface RawRequest {
  readonly kind: 'raw';
  /** What is written one after the other; then the writing side is closed. */
  readonly pieces: readonly string[];
  /** How many answers they have to get; null where that is not known. */
  readonly answers: number | null;
}

/** The name in the place of an id or address: `@{v4.run_id:17}` is one of the V4 runs that are known. */
export function placeholder(name: string, number: number): string {
  return `@{${name}:${number}}`;
}
