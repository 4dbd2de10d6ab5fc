import type { JsonValue } from './json.ts';

/** One request for a transport. */
export interface TransportRequest {
  /** Name of the scenario or check that sends it, and its name of the operation. */
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
  /** Aborted when the run ends. */
  signal: AbortSignal;
  /** True for a request whose response is needed even after the run has ended. */
  outlivesRun: boolean;
}

/** Names of the response limits, as rows of `spec/rules/limits.yaml`. `answerTime` is the timeout of the request. */
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
  /** The limit that the response exceeds; `body` is then its beginning, and `status` 0. */
  exceeds?: AnswerLimit;
  /** Time of sending and duration in ms, for a response that arrived at another time. @defaultValue measured */
  times?: { atMs: number; durationMs: number };
}

/** Sends requests to a target. Never throws for a network fault; an aborted request is a fault as well. */
export type Transport = (request: TransportRequest) => Promise<Answer>;
