import type { JsonValue } from './json.ts';

/** One request on its way to a target. */
export interface TransportRequest {
  /** Which scenario or check sends it, and what it calls the operation. */
  sentBy: string;
  operation: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The request as it is recorded: keys are placeholders. */
  shown: { url: string; headers: Readonly<Record<string, string>>; body?: string };
  /** Longest wait for the answer, in ms. */
  timeoutMs: number;
  /** Aborted when the run ends. */
  signal: AbortSignal;
  /** True for a request whose answer is needed even then. */
  outlivesRun: boolean;
}

/** The limits of answers, by the names of their rows in `spec/rules/limits.yaml`. `answerTime` is the timeout of the request. */
export const answerLimits = [
  'answerBytes',
  'answerHeaders',
  'answerCodings',
  'answerInterim',
  'answerJsonDepth',
  'answerJsonValues',
  'answerTime',
  'runAnswerBytes',
  'runAnswerValues',
] as const;

/** One limit of answers. */
export type AnswerLimit = (typeof answerLimits)[number];

/** What came back. */
export interface Answer {
  /** HTTP status; 0 when no whole answer arrived. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON, where it was read before. @defaultValue read from the body */
  json?: JsonValue | undefined;
  /** Why no whole answer arrived. */
  fault?: string;
  /** The limit that the answer exceeds; `body` is then its beginning, and `status` 0. */
  exceeds?: AnswerLimit;
  /** When it was sent and how long it took, for an answer that arrived at another time. @defaultValue measured */
  times?: { atMs: number; durationMs: number };
}

/** Carries requests to a target. Never throws for what the network does; an aborted request is a fault too. */
export type Transport = (request: TransportRequest) => Promise<Answer>;
