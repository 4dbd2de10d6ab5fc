import type { JsonValue } from '../core/json.ts';
import type { ClientVersion, Fault, Trial, TrialInput } from './trial.ts';

/** What an operation is for, as far as the rules and faults care. */
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
  /** The last parameter of the path as it was sent; empty without one. */
  readonly target: string;
}

/** One request of the program and its answer, as they went over the network. */
export interface ClientExchange {
  readonly index: number;
  /** Milliseconds since the program was started. */
  readonly atMs: number;
  /** `elsewhere`: the other host, to which redirects and signed addresses lead. */
  readonly host: 'service' | 'elsewhere';
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly kind: RequestKind;
  /** Undefined for an address that no document has. */
  readonly operation: CalledOperation | undefined;
  /** The fault that struck it. */
  readonly fault: Fault | undefined;
  /** When the answer was sent; undefined where none was. */
  endedMs: number | undefined;
  /** When the program closed the connection before it had the whole answer; undefined where it did not. */
  abandonedMs: number | undefined;
  /** Why the service gave no answer; undefined where it gave one, or was not asked. */
  failure: string | undefined;
  /** 0 where no answer was sent. */
  status: number;
  answerHeaders: Readonly<Record<string, string>>;
  answer: Buffer;
}

/** One CDP connection of the program. */
export interface ClientSocket {
  readonly atMs: number;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The side that closed it first, where `trial` is a fault that was put in; undefined while it is open. */
  closedBy: 'program' | 'service' | 'trial' | undefined;
  /** When it was closed. */
  closedMs: number | undefined;
}

/** How the program ended. */
export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** Why it was killed; undefined when it ended by itself. */
  readonly killed: 'late' | 'polls on' | undefined;
  readonly atMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Everything that was seen of one start of the program. */
export interface TrialRun {
  readonly trial: Trial;
  readonly input: TrialInput;
  /** States that the work was made to show. */
  readonly states: readonly string[];
  /** The key of its environment; undefined where it got none. */
  readonly key: string | undefined;
  readonly exchanges: readonly ClientExchange[];
  readonly sockets: readonly ClientSocket[];
  readonly end: ProgramEnd;
  /** When it was interrupted. */
  readonly interruptedMs: number | undefined;
  /** Words that faults have put into answers, and ids that were made for it. */
  readonly planted: Planted;
  /** What it printed last that is JSON. */
  readonly printed: JsonValue | undefined;
}

/** What the proxy has put into answers, by which rules see whether it was read. */
export interface Planted {
  /** Texts of refusals that the program has to show. */
  readonly texts: readonly string[];
  readonly decimal: string | undefined;
  readonly kind: string | undefined;
  /** Ids of the list, before the program started. */
  readonly ids: readonly string[];
}
