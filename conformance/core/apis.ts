import type { RequestSpec } from './request.ts';
import type { Exchange } from './exchange.ts';
import type { JsonValue, JsonObject } from './json.ts';
import type { ResourceKind, Trial } from './ledger.ts';
import type { OperationKey } from './operations.ts';
import type { JobTarget, Phase } from './job-target.ts';

/** A request body of session creation or of a follow-up task. */
export interface SessionRequest {
  body: JsonObject;
  /** True when the body violates the contract on purpose. */
  invalid?: boolean;
}

/** The V3 operations. The target file supplies the operations that the contract does not show. */
export interface SessionApi {
  create(request: SessionRequest): Promise<Exchange>;
  /** Sends a creation that must be refused. Stops a session at once if the target creates it anyway. */
  probe(body: JsonObject): Promise<Exchange>;
  get(id: string): Promise<Exchange>;
  /**
   * Sends a follow-up task. Throws NotTestable if the target file names no follow-up operation. If follow-ups have
   * their own path and this path answers 400 or 422, sends the task again without `keepAlive` and cost ceiling.
   */
  followUp(id: string, request: SessionRequest): Promise<Exchange>;
  /** Stops a session. Throws NotTestable if the target file names no stop operation. */
  stop(id: string): Promise<Exchange>;
  /**
   * Returns the request that reads or stops a session, so that a caller can send it with other credentials. Undefined
   * if the target does not offer the operation.
   */
  request(operation: 'get' | 'stop', id: string): RequestSpec | undefined;
  /**
   * Returns the request of a follow-up task; undefined if the operation is not offered. Only for requests that the
   * target must refuse: no budget is reserved.
   */
  followUpRequest(id: string, body: JsonObject): RequestSpec | undefined;
  /**
   * Returns the ids on the first page of the session list; undefined if the target offers no list operation or does not
   * answer with a list.
   */
  listIds(): Promise<readonly string[] | undefined>;
  /** Returns the id of a created session. Throws NotTestable if the response carries no id. */
  readId(exchange: Exchange): string;
}

/** One snapshot of a task or run. */
export interface JobSnapshot {
  exchange: Exchange;
  phase: Phase;
  /** The status of the job as it was sent; undefined if the response carries none. */
  status: JsonValue | undefined;
  /** The outcome of the job; undefined if the response does not carry it. */
  result: JsonValue | undefined;
  /** Cost of the task or run so far in US dollars, as it was sent; undefined if the response does not contain it. */
  cost: JsonValue | undefined;
}

/** Options for fetching a snapshot. */
export interface SnapshotOptions {
  /**
   * View to fetch: the whole record, or only the status. If the target does not offer this view, the other view is
   * fetched.
   * @defaultValue `record`
   */
  view?: 'record' | 'status';
}

/** The operations on tasks or runs. The target file supplies the operations that the contract does not show. */
export interface JobApi {
  /**
   * Returns the facts of the target file about tasks or runs. Throws NotTestable if the target does not offer the
   * generation.
   */
  target(): JobTarget;
  create(body: JsonObject): Promise<Exchange>;
  /** Creates a task or run and stops it at once. Without a stop operation, waits until it ends by itself. */
  trial(body: JsonObject): Promise<Trial>;
  /** Returns the id of the created task or run; undefined if the response carries none. */
  readId(exchange: Exchange): string | undefined;
  /**
   * Fetches the record or the status of a task or run. Throws NotTestable if the target file names no operation for
   * this, and for a response other than a 2xx status with a JSON object.
   */
  look(id: string, options?: SnapshotOptions): Promise<JobSnapshot>;
  /** Ends a task or run. Throws NotTestable if the target file names no stop operation. */
  stop(id: string): Promise<Exchange>;
  /**
   * Returns the request of an operation on a task or run, for callers that send it in another way. Undefined if the
   * target does not offer the operation.
   */
  request(operation: keyof JobTarget['operations'], id: string): RequestSpec | undefined;
  /** Returns the ids in the response of the list operation; undefined if it carries no list. */
  readIds(exchange: Exchange): readonly string[] | undefined;
}

/** The operations on standalone browsers. The target file supplies the operations that the contract does not show. */
export interface BrowserApi {
  create(body: JsonObject): Promise<Exchange>;
  /** Creates a browser and stops it at once. Without a stop operation, waits until it ends by itself. */
  trial(body: JsonObject): Promise<Trial>;
  /** Sends the stop operation with its correct body, or with an invalid body that must be refused. */
  stop(id: string, body?: JsonValue): Promise<Exchange>;
  /** Fetches one browser; undefined if the target offers no fetch. */
  get(id: string): Promise<Exchange | undefined>;
  /** Lists browsers; undefined if the target offers no list. */
  list(): Promise<Exchange | undefined>;
  /** Returns the browser record in the response to a fetch; empty if the response contains no record. */
  readRecord(exchange: Exchange): JsonObject;
  /** Returns the records in the response of the list operation; undefined if it carries no list. */
  listed(exchange: Exchange): JsonObject[] | undefined;
  /**
   * Returns the request of an operation on a browser, for callers that send it with another key. Undefined if the
   * target does not offer the operation.
   */
  request(operation: 'get' | 'list' | 'stop', id: string): RequestSpec | undefined;
  /** Returns the status of the browser record in a response; undefined if the response shows no status. */
  readStatus(exchange: Exchange): string | undefined;
  /**
   * Returns true or false if a response shows whether the browser has ended; otherwise undefined. A 404 or 410 shows
   * the end only if an earlier fetch of a browser has succeeded in this run.
   */
  hasEnded(exchange: Exchange): boolean | undefined;
  /** Returns whether a record says that its browser has ended; undefined if the record shows no status. */
  isEndedRecord(record: JsonObject): boolean | undefined;
}

/** Members of a request to an operation of the documents, such as path parameters, query and body. All are optional. */
export interface Call {
  /** Values of the path parameters, in their order. */
  path?: readonly string[];
  /** Query members; each item of a list repeats the name. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  body?: JsonValue;
  /** True for a request that violates the documents on purpose. Such a request is not validated before it is sent. */
  invalid?: boolean;
  /**
   * True for a request that may exceed a limit of the target. A 429 is then a response to judge, and the request is not
   * sent again.
   */
  overload?: boolean;
  key?: RequestSpec['key'];
  headers?: Record<string, string>;
}

/** Calls the operations of the documents by their ids. A target may offer only some of them. */
export interface OperationApi {
  offers(key: OperationKey): boolean;
  /** Ends the check as not testable unless every operation is offered. */
  need(...keys: OperationKey[]): void;
  /**
   * Sends a request that creates no resource with a cost or a lifetime. Throws NotTestable if the operation is not
   * offered.
   */
  call(key: OperationKey, call?: Call): Promise<Exchange>;
  /** Sends a request that creates a resource, and enters the resource in the ledger. */
  create(kind: ResourceKind, key: OperationKey, call?: Call): Promise<Exchange>;
  /** Sends a request that must be accepted, and ends the resource that it creates. */
  trial(kind: ResourceKind, key: OperationKey, call?: Call): Promise<Trial>;
  /** Sends a request that must be refused. Ends a resource at once if the target creates it anyway. */
  probe(kind: ResourceKind, key: OperationKey, call?: Call): Promise<Exchange>;
  /**
   * Returns the request of a call, for callers that send it with other credentials; undefined if the operation is not
   * offered.
   */
  request(key: OperationKey, call?: Call): RequestSpec | undefined;
}
