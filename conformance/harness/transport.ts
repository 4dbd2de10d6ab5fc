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

/** What came back. */
export interface Answer {
  /** HTTP status; 0 when no answer arrived. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON, where it was read before. @defaultValue read from the body */
  json?: JsonValue | undefined;
  /** Why no answer arrived. */
  fault?: string;
  /** When it was sent and how long it took, for an answer that arrived at another time. @defaultValue measured */
  times?: { atMs: number; durationMs: number };
}

/** Carries requests to a target. Never throws for what the network does; an aborted request is a fault too. */
export type Transport = (request: TransportRequest) => Promise<Answer>;
