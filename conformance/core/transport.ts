import type { JsonValue } from './json.ts';

/** One request for a transport. */
export interface TransportRequest {
  /**
   * Name of the scenario or check that sends the request. `operation` is the name of the operation in the recording.
   */
  sentBy: string;
  operation: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The recorded form of the request, with placeholders for keys. */
  shown: { url: string; headers: Readonly<Record<string, string>>; body?: string };
  /** Timeout of the response, in ms. */
  timeoutMs: number;
  /** Signal that aborts the request when the run ends. */
  signal: AbortSignal;
  /** True for a request whose response the suite awaits even after the run has ended. */
  outlivesRun: boolean;
  /** True if a response has named the URL, and its host is not the target's. @defaultValue false */
  isForeign?: boolean;
}

/**
 * Names of the response limits. `answerTime` is the timeout of the request; every other limit is a row of
 * `spec/rules/limits.yaml`.
 */
export const answerLimits = [
  'answerBytes',
  'answerHeaders',
  'answerCodings',
  'answerInterim',
  'answerJsonDepth',
  'answerJsonValues',
  'answerTime',
] as const;

/** One response limit. */
export type AnswerLimit = (typeof answerLimits)[number];

/** Response of a transport. */
export interface Answer {
  /** HTTP status; 0 if no complete response arrived. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON, if it was already parsed. @defaultValue parsed from the body */
  json?: JsonValue | undefined;
  /** Reason why no complete response arrived. */
  fault?: string;
  /** The limit that the response exceeds; `body` is then only the beginning of the response body, and `status` is 0. */
  exceeds?: AnswerLimit;
  /**
   * Time of sending and duration in ms, if they are not those of this call: a replay returns the recorded times.
   * @defaultValue the measured times
   */
  times?: { atMs: number; durationMs: number };
}

/**
 * Sends one request to a target. Resolves with status 0 and `fault` after a network fault or an abort; does not reject
 * for them.
 */
export type Transport = (request: TransportRequest) => Promise<Answer>;
