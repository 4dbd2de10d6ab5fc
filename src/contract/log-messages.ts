/*
 * Messages between the request log of a mock and its page, below /log. Both sides import this file; it holds types
 * only. Times are ISO 8601 texts.
 */

/**
 * Verdict on a call. `kept`: the call satisfies the contract. `broken`: the request violates the contract. `refused`:
 * the request was refused without a violation. `fault`: the response violates the contract.
 */
export type LogVerdict = 'kept' | 'broken' | 'refused' | 'fault';

/** A rule of the contract that a call kept or violated. */
export interface LogLine {
  /** Requirement id, error code of a refusal, or operation id. */
  readonly id: string;
  /** MUST, SHOULD or MAY; null for a line that is no requirement. */
  readonly level: string | null;
  readonly text: string;
  /** Words of the contract that state the rule; null for a rule from another source. */
  readonly quote: string | null;
  /** Source of the rule, such as `contract 5 Authentication`. */
  readonly source: string;
  readonly kept: boolean;
}

/** A call with its verdict; secrets are redacted. */
export interface LoggedCall {
  /** Sequence number of the call, from 1. */
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Query with its question mark; empty without a query. */
  readonly query: string;
  /** API version and operation id, such as `v4 createRun`; null for an unknown operation. */
  readonly operation: string | null;
  readonly status: number;
  readonly ms: number;
  readonly verdict: LogVerdict;
  readonly headers: Readonly<Record<string, string>>;
  /** Indented JSON of the request body; null for a body that was not read, is empty, too large or no valid JSON. */
  readonly body: string | null;
  /** Indented JSON of the response body; null without a body. */
  readonly answer: string | null;
  /** Faults of the request, as the refusal words them. */
  readonly problems: readonly string[];
  /** Differences between the response and its document. */
  readonly differences: readonly string[];
  readonly lines: readonly LogLine[];
}

/** The calls that the log still contains: those of this log whose id is at least `first`. */
export interface LogKept {
  /** Random id of the log, which is another one after a restart of the mock. */
  readonly log: string;
  readonly first: number;
}
