/*
 * What the page of the request log and its mock say to each other below /log. Both sides read this file; nothing here does anything.
 * Times are ISO 8601 texts.
 */

/** How a call is judged. `broken`: the caller broke the contract; `refused`: it was refused, and broke nothing; `fault`: the answer is at fault. */
export type LogVerdict = 'kept' | 'broken' | 'refused' | 'fault';

/** A sentence that a call kept or broke. */
export interface LogLine {
  /** Id of a requirement, code of a refusal, or name of an operation. */
  readonly id: string;
  /** MUST, SHOULD or MAY; null for what is no requirement. */
  readonly level: string | null;
  readonly text: string;
  /** Where it stands, such as `contract 5 Authentication`. */
  readonly source: string;
  readonly kept: boolean;
}

/** One call and how it is judged, with every secret hidden. */
export interface LoggedCall {
  /** Counts up from 1. */
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** With its question mark; empty for none. */
  readonly query: string;
  /** Such as `v4 createRun`; null where no operation takes it. */
  readonly operation: string | null;
  readonly status: number;
  readonly ms: number;
  readonly verdict: LogVerdict;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as it came, indented; null where none was read. */
  readonly body: string | null;
  /** JSON as it went, indented; null for none. */
  readonly answer: string | null;
  /** What is wrong with the request, in the words of its refusal. */
  readonly problems: readonly string[];
  /** Where the answer differs from its document. */
  readonly differences: readonly string[];
  readonly lines: readonly LogLine[];
}

/** What is still kept: calls from this id on. */
export interface LogKept {
  readonly first: number;
}
