import type { JsonValue } from '../core/json.ts';
import type { ClientVersion, Fault, Trial, TrialInput } from './trial.ts';

/** Purpose of a request. Rules and faults select requests by their purpose. */
export type RequestKind =
  | 'create'
  | 'poll'
  | 'stop'
  | 'events'
  | 'list'
  | 'createBrowser'
  | 'stopBrowser'
  | 'announce'
  | 'listFiles'
  | 'removeFile'
  | 'upload'
  | 'download'
  | 'other';

/** The documented operation that a request calls. */
export interface CalledOperation {
  readonly id: string;
  readonly version: ClientVersion;
  /** Last path parameter as it was sent; empty without a parameter. */
  readonly target: string;
}

/** A request of the program and its response, as sent over the network. */
export interface ClientExchange {
  readonly index: number;
  /** Time of the request in ms since the proxy was opened. The proxy is opened right before the program starts. */
  readonly atMs: number;
  /** Host of the proxy that received the request. `elsewhere` is the second host, for redirects and signed URLs. */
  readonly host: 'service' | 'elsewhere';
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly kind: RequestKind;
  /** The documented operation; undefined for an undocumented method or path. */
  readonly operation: CalledOperation | undefined;
  /** The injected fault that applied to the request; undefined without a fault. */
  readonly fault: Fault | undefined;
  /** Time at which the answer was sent, in ms like `atMs`; undefined without an answer. */
  endedMs: number | undefined;
  /** Time at which the program closed the connection before the complete answer; undefined otherwise. */
  abandonedMs: number | undefined;
  /** Error of the proxy's request to the service; undefined if the service answered or was not called. */
  failure: string | undefined;
  /** HTTP status of the answer; 0 without an answer. */
  status: number;
  answerHeaders: Readonly<Record<string, string>>;
  answer: Buffer;
}

/** One CDP connection of the program. */
export interface ClientSocket {
  readonly atMs: number;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The party that closed the connection first; `trial` is an injected fault. Undefined while the connection is open.
   */
  closedBy: 'program' | 'service' | 'trial' | undefined;
  /** Time of the close, in ms like `atMs`; undefined while the connection is open. */
  closedMs: number | undefined;
}

/** How the program ended: exit code, reason of a kill, times and output. */
export interface ProgramEnd {
  /** Exit code; null after a signal. */
  readonly code: number | null;
  /** Reason why the suite killed the program; undefined if the suite did not kill it. */
  readonly killed: 'late' | 'polls on' | undefined;
  readonly atMs: number;
  /**
   * Time in ms during which a busy machine did not run the suite's own process, and so probably not the program either.
   */
  readonly stalledMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Recording of one start of the program. */
export interface TrialRun {
  readonly trial: Trial;
  readonly input: TrialInput;
  /**
   * Status values that the proxy shows in the answers to polls, in place of those of the service; empty if the proxy
   * shows the service's own values.
   */
  readonly states: readonly string[];
  /**
   * The key in the environment of the program, or the first key that an observed client sent; undefined without a key.
   */
  readonly key: string | undefined;
  readonly exchanges: readonly ClientExchange[];
  readonly sockets: readonly ClientSocket[];
  readonly end: ProgramEnd;
  /** Time at which the trial interrupted the program; undefined without an interrupt. */
  readonly interruptedMs: number | undefined;
  /**
   * Values that faults added to answers, and ids of the resources that the trial created before the program started.
   */
  readonly planted: Planted;
  /** The last JSON that the program printed; undefined if it printed none. */
  readonly printed: JsonValue | undefined;
}

/**
 * Values that the proxy or the trial added to what the program reads. Rules search for them in the program's output.
 */
export interface Planted {
  /** Texts of refusals, which the program has to print. */
  readonly texts: readonly string[];
  readonly decimal: string | undefined;
  readonly kind: string | undefined;
  /** Ids that the list had before the program started. */
  readonly ids: readonly string[];
}
